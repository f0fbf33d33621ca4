package main

import (
	"fmt"
	"time"

	"example.com/db/journal/journal"
)

type pageFile map[uint32]uint64

func (p pageFile) Apply(r journal.Record) { p[r.Page] = r.LSN }

func main() {
	j := journal.Open(pageFile{})
	stop := make(chan struct{})
	go j.Run(2*time.Millisecond, stop)
	var last uint64
	for i := 0; i < 60; i++ {
		last = j.Append(uint32(i%7), []byte{byte(i)})
		time.Sleep(200 * time.Microsecond)
	}
	close(stop)
	fmt.Println("last record", last)
}
