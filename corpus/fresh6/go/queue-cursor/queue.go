package main

import (
	"errors"
	"time"
)

var errFull = errors.New("queue full")

type segment struct {
	id   int
	data [8]int
}

// fileQueue keeps jobs between restarts.
type fileQueue struct {
	seg  segment
	head int
	tail int
	sync func(seg int) error
}

func (q *fileQueue) push(fsync time.Duration) error {
	used := q.tail - q.head //race:fileQueue.head
	if used == len(q.seg.data) {
		return errFull
	}
	time.Sleep(fsync)
	q.tail++ //race:fileQueue.tail
	return nil
}

func (q *fileQueue) pop() bool {
	if q.head == q.tail { //race:fileQueue.tail
		return false
	}
	q.head++ //race:fileQueue.head
	return true
}

func (q *fileQueue) drain(stop <-chan struct{}) (popped int) {
	for {
		select {
		case <-stop:
			return popped
		case <-time.After(200 * time.Microsecond):
			for q.pop() {
				popped++
			}
		}
	}
}
