package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"
)

type part struct {
	number int
	etag   string
}

type bucket struct{ delay time.Duration }

func (b bucket) putPart(key string, n int, body []byte) part {
	time.Sleep(b.delay)
	return part{number: n, etag: fmt.Sprintf("%x", sha256.Sum256(body))[:8]}
}

type uploader struct {
	dst     bucket
	size    int
	pending sync.WaitGroup

	mu   sync.Mutex
	done map[int]part
}

func (u *uploader) send(key string, n int, body []byte) {
	u.pending.Add(1) //race:uploader.pending
	defer u.pending.Done()
	p := u.dst.putPart(key, n, body)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.done[n] = p
}

// Upload cuts a body into parts and sends them at the same time.
func (u *uploader) Upload(key string, body *bytes.Buffer) int {
	for n := 1; body.Len() > 0; n++ {
		chunk := append([]byte(nil), body.Next(u.size)...)
		go u.send(key, n, chunk)
		time.Sleep(100 * time.Microsecond) // the limit of the bucket
	}
	u.pending.Wait() //race:uploader.pending
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.done)
}

func main() {
	u := &uploader{
		dst:  bucket{delay: 3 * time.Millisecond},
		size: 4,
		done: make(map[int]part),
	}
	n := u.Upload("backups/db.tar", bytes.NewBufferString("abcdefghijklmnop"))
	fmt.Println("parts", n)
}
