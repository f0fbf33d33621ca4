// Package snap reads a snapshot from its beginning to its end.
package snap

import (
	"errors"
	"sync/atomic"
)

// ErrClosed is the fault of a closed iterator.
var ErrClosed = errors.New("snap: closed")

// Block is a part of a snapshot.
type Block []byte

// Reader gets blocks from the disk.
type Reader interface {
	ReadBlock(n int) (Block, error)
}

// Iterator has the next block ready.
type Iterator struct {
	from   Reader
	closed int32
	block  Block
	err    error
}

// NewIterator starts to read.
func NewIterator(from Reader) *Iterator {
	it := &Iterator{from: from}
	go it.prefetch()
	return it
}

func (it *Iterator) prefetch() {
	for n := 0; atomic.LoadInt32(&it.closed) == 0; n++ {
		b, err := it.from.ReadBlock(n)
		if !it.keep(b, err) {
			return
		}
	}
}

func (it *Iterator) keep(b Block, err error) bool {
	it.err = err //race:Iterator.err
	it.block = b //race:Iterator.block
	return err == nil
}

// Close lets go of everything.
func (it *Iterator) Close() {
	it.block = nil     //race:Iterator.block
	it.err = ErrClosed //race:Iterator.err
	atomic.StoreInt32(&it.closed, 1)
}
