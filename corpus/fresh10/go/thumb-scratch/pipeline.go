package main

import "sync"

type photo struct {
	id    int
	shade byte
}

type pipeline struct {
	sums   *sync.WaitGroup
	checks chan uint32
	stored int
}

// process scales a photo down, stores it and has its checksum made on the side.
func (p *pipeline) process(ph photo) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.fill(ph.shade)
	p.store(s.pix[:side])

	p.sums.Add(1)
	go func() {
		defer p.sums.Done()
		p.checks <- s.checksum()
	}()
}

func (p *pipeline) store(row []byte) {
	if len(row) == side {
		p.stored++
	}
}
