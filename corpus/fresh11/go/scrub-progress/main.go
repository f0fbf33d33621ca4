// Command scrub reads every block of a pool.
package main

import (
	"fmt"
	"hash/crc32"
	"time"
)

type block struct {
	data []byte
	sum  uint32
}

func makePool(n int) []block {
	pool := make([]block, n)
	for i := range pool {
		data := []byte(fmt.Sprintf("block %d", i))
		pool[i] = block{data, crc32.ChecksumIEEE(data)}
	}
	return pool
}

func scrub(pool []block, every time.Duration) (bad int) {
	checked := 0
	broken := make(chan int)
	go func() {
		n := 0
		for _, b := range pool {
			if crc32.ChecksumIEEE(b.data) != b.sum {
				n++
			}
			checked++ //race:checked
			time.Sleep(100 * time.Microsecond)
		}
		broken <- n
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			fmt.Printf("%3d%%\n", 100*checked/len(pool)) //race:checked
		case bad = <-broken:
			return bad
		}
	}
}

func main() {
	fmt.Println("bad blocks:", scrub(makePool(60), 3*time.Millisecond))
}
