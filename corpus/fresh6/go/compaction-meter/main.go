package main

import (
	"fmt"
	"time"
)

type memtable struct {
	c      *compactor
	size   int64
	limit  int64
	stalls int
}

func (m *memtable) put(key string, value []byte) {
	for m.c.overloaded() {
		m.stalls++
		time.Sleep(500 * time.Microsecond)
	}
	m.size += int64(len(key) + len(value))
	if m.size >= m.limit {
		m.c.schedule(table{level: 0, bytes: m.size})
		m.size = 0
	}
}

func main() {
	c := &compactor{stallAt: 256}
	stop := make(chan struct{})
	go c.run(stop)
	m := &memtable{c: c, limit: 64}
	for i := 0; i < 60; i++ {
		m.put(fmt.Sprintf("key-%03d", i), make([]byte, 24))
	}
	close(stop)
	fmt.Println("written")
}
