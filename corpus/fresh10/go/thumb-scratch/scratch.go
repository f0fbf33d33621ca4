package main

import "sync"

const side = 96

type scratch struct {
	pix [side * side]byte
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func (s *scratch) fill(shade byte) {
	for i := range s.pix {
		s.pix[i] = shade ^ byte(i) //race:scratch.pix
	}
}

func (s *scratch) checksum() uint32 {
	var a, b uint32 = 1, 0
	for _, p := range &s.pix { //race:scratch.pix
		a = (a + uint32(p)) % 65521
		b = (b + a) % 65521
	}
	return b<<16 | a
}
