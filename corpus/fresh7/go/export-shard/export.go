package main

import (
	"fmt"
	"sync"
	"time"
)

type shardStat struct {
	shard int
	rows  int
}

type exportJob struct {
	wg    sync.WaitGroup
	stats [4]shardStat
	read  func(shard int) int
}

func (j *exportJob) finish(shard, rows int) {
	time.Sleep(500 * time.Microsecond)
	j.stats[shard] = shardStat{shard: shard, rows: rows} //race:exportJob.stats[]
}

func (j *exportJob) exportShard(shard int) {
	rows := 0
	defer func() { j.finish(shard, rows) }()
	defer j.wg.Done()
	for i := 0; i < 2; i++ {
		rows += j.read(shard)
	}
}

func (j *exportJob) run(shards int) {
	for s := 0; s < shards; s++ {
		j.wg.Add(1)
		go j.exportShard(s)
	}
	j.wg.Wait()
}

func (j *exportJob) total() int {
	n := 0
	for i := range j.stats {
		n += j.stats[i].rows //race:exportJob.stats[]
	}
	return n
}

func main() {
	j := &exportJob{read: func(shard int) int {
		time.Sleep(time.Millisecond)
		return 100 + shard
	}}
	j.run(2)
	fmt.Println("rows:", j.total() >= 0)
	time.Sleep(3 * time.Millisecond)
}
