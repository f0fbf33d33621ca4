package main

import (
	"fmt"
	"time"
)

type page struct {
	number int
	rows   []int
}

type pageReader func(number int, into []int) int

// conn owns the buffer into which pages are read.
type conn struct {
	buf  []int
	read pageReader
}

// cursor reads the pages of one query ahead.
type cursor struct {
	conn  *conn
	pages chan page
	stop  chan struct{}
}

func (c *conn) query(first int) *cursor {
	cur := &cursor{conn: c, pages: make(chan page), stop: make(chan struct{})}
	go cur.prefetch(first)
	return cur
}

func (cur *cursor) prefetch(number int) {
	for {
		n := cur.fill(number)
		select {
		case cur.pages <- page{number: number, rows: cur.conn.buf[:n]}:
			number++
		case <-cur.stop:
			return
		}
	}
}

func (cur *cursor) fill(number int) int {
	n := cur.conn.read(number, nil)
	for i := 0; i < n; i++ {
		cur.conn.buf[i] = number*100 + i //race:conn.buf[]
	}
	return n
}

func (cur *cursor) next() page { return <-cur.pages }

func (cur *cursor) close() { close(cur.stop) }

func main() {
	c := &conn{buf: make([]int, 4), read: func(number int, _ []int) int {
		time.Sleep(2 * time.Millisecond)
		return 2
	}}
	for q := 0; q < 2; q++ {
		cur := c.query(q * 10)
		p := cur.next()
		fmt.Println("page", p.number)
		cur.close()
	}
	time.Sleep(5 * time.Millisecond)
}
