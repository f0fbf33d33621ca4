package main

import (
	"fmt"
	"sync"
	"time"
)

type file struct {
	name string
	size int64
	live int64
}

type shard struct {
	id    int
	files []file
	saved int64
}

func (s *shard) compact(wg *sync.WaitGroup) {
	var freed int64
	for _, f := range s.files {
		time.Sleep(50 * time.Microsecond)
		freed += f.size - f.live
	}
	wg.Done()
	s.files = s.files[:1] //race:shard.files
	s.saved = freed       //race:shard.saved
}

// compactAll compacts all shards and says what that was good for.
func compactAll(shards []*shard) (saved int64, files int) {
	var wg sync.WaitGroup
	for _, s := range shards {
		wg.Add(1)
		go s.compact(&wg)
	}
	wg.Wait()
	for _, s := range shards {
		saved += s.saved      //race:shard.saved
		files += len(s.files) //race:shard.files
	}
	return saved, files
}

func main() {
	var shards []*shard
	for i := 0; i < 3; i++ {
		shards = append(shards, &shard{id: i, files: []file{{"0.sst", 100, 60}, {"1.sst", 80, 80}}})
	}
	saved, files := compactAll(shards)
	time.Sleep(time.Millisecond)
	fmt.Println(saved >= 0, files > 0)
}
