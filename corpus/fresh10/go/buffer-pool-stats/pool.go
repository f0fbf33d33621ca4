package main

import "sync"

type frame struct {
	payload []byte
}

func (f *frame) reset() { f.payload = f.payload[:0] }

// pool lends frames.
type pool struct {
	size   int
	frames sync.Pool
	misses int
}

func newPool(size int) *pool {
	p := &pool{size: size}
	p.frames.New = p.make
	return p
}

// make is for the times when no frame is free.
func (p *pool) make() any {
	p.misses++ //race:pool.misses
	return &frame{payload: make([]byte, 0, p.size)}
}

func (p *pool) get() *frame {
	return p.frames.Get().(*frame)
}

func (p *pool) put(f *frame) {
	f.reset()
	if cap(f.payload) <= 4*p.size {
		p.frames.Put(f)
	}
}
