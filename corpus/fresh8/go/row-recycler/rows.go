package main

import (
	"fmt"
	"sync"
	"time"
)

type row struct {
	id   int
	next *row
}

// freeList recycles rows of result sets.
type freeList struct {
	mu   sync.Mutex
	head *row
}

func (f *freeList) take() *row {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.head
	if r == nil {
		return &row{}
	}
	f.head = r.next
	return r
}

func (f *freeList) give(r *row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r.next = f.head
	f.head = r
}

type resultSet struct {
	list *freeList
	row  *row
}

func query(list *freeList, id int) *resultSet {
	r := list.take()
	r.id = id //race:row.id
	return &resultSet{list, r}
}

func (s *resultSet) each(f func(id int)) {
	r := s.row
	go func() {
		time.Sleep(time.Millisecond)
		f(r.id) //race:row.id
	}()
}

func (s *resultSet) close() { s.list.give(s.row) }

func main() {
	list := &freeList{}
	seen := make(chan int, 8)
	for i := 1; i <= 4; i++ {
		rs := query(list, i)
		rs.each(func(id int) { seen <- id })
		rs.close()
	}
	sum := 0
	for i := 0; i < 4; i++ {
		sum += <-seen
	}
	fmt.Println("sum", sum > 0)
}
