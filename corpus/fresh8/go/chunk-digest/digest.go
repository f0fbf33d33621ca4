package main

import (
	"encoding/hex"
	"fmt"
	"hash"
	"hash/adler32"
	"sync"
)

type chunk struct {
	index int
	data  []byte
}

// upload sends chunks and keeps a checksum of all of them.
type upload struct {
	name   string
	sum    hash.Hash32
	mu     sync.Mutex
	stored map[int]int
}

func (u *upload) put(c chunk) {
	u.sum.Write(c.data) //race:upload.sum
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stored[c.index] = len(c.data)
}

func split(data []byte, size int) (out []chunk) {
	for i := 0; len(data) > 0; i++ {
		n := size
		if n > len(data) {
			n = len(data)
		}
		out = append(out, chunk{i, data[:n]})
		data = data[n:]
	}
	return out
}

func (u *upload) send(data []byte) string {
	var wg sync.WaitGroup
	for _, c := range split(data, 8) {
		wg.Add(1)
		go func(c chunk) {
			defer wg.Done()
			u.put(c)
		}(c)
	}
	wg.Wait()
	return hex.EncodeToString(u.sum.Sum(nil))
}

func main() {
	u := &upload{name: "backup.tar", sum: adler32.New(), stored: map[int]int{}}
	tag := u.send([]byte("the quick brown fox jumps over the lazy dog"))
	fmt.Println(u.name, len(tag), len(u.stored))
}
