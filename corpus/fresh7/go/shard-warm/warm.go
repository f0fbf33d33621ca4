package main

import (
	"fmt"
	"sync"
	"time"
)

type shardInfo struct {
	id    int
	docs  int
	bytes int64
}

type opener interface {
	Open(s shardInfo) (time.Duration, error)
}

type index struct {
	name   string
	shards []shardInfo
	opener opener
}

type warmResult struct {
	shard int
	took  time.Duration
	err   error
}

func (ix *index) warmOne(s shardInfo, out chan<- warmResult) {
	took, err := ix.opener.Open(s)
	out <- warmResult{shard: s.id, took: took, err: err}
}

// Warm opens every shard and returns what it took.
func (ix *index) Warm() []warmResult {
	out := make(chan warmResult, len(ix.shards))
	var wg sync.WaitGroup
	for _, s := range ix.shards { //race:s
		wg.Add(1)
		go func() {
			defer wg.Done()
			ix.warmOne(s, out) //race:s
		}()
	}
	wg.Wait()
	close(out)
	var all []warmResult
	for r := range out {
		all = append(all, r)
	}
	return all
}

type diskOpener struct{ perDoc time.Duration }

func (d diskOpener) Open(s shardInfo) (time.Duration, error) {
	took := time.Duration(s.docs) * d.perDoc
	time.Sleep(took)
	return took, nil
}

func main() {
	ix := &index{name: "logs", opener: diskOpener{perDoc: time.Microsecond}, shards: []shardInfo{
		{id: 0, docs: 100}, {id: 1, docs: 200}, {id: 2, docs: 300},
	}}
	fmt.Println("warmed", len(ix.Warm()))
}
