package main

import "time"

type picker struct {
	addrs   []string
	weights []int
	cursor  int
}

func newPicker(addrs ...string) *picker {
	p := &picker{addrs: addrs, weights: make([]int, len(addrs))}
	for i := range p.weights {
		p.weights[i] = 10
	}
	return p
}

func (p *picker) total() int {
	sum := 0
	for _, w := range p.weights { //race:picker.weights[]
		sum += w
	}
	return sum
}

// pick returns the address whose share of the total the cursor is in.
func (p *picker) pick() string {
	sum := p.total()
	if sum == 0 {
		return p.addrs[0]
	}
	p.cursor = (p.cursor + 7) % sum
	left := p.cursor
	for i, addr := range p.addrs {
		w := p.weights[i] //race:picker.weights[]
		if left < w {
			return addr
		}
		left -= w
	}
	return p.addrs[len(p.addrs)-1]
}

type health struct {
	addr string
	ok   bool
}

func (p *picker) report(h health) {
	for i, addr := range p.addrs {
		if addr != h.addr {
			continue
		}
		if h.ok {
			p.weights[i] = 10 //race:picker.weights[]
		} else {
			p.weights[i] = 1 //race:picker.weights[]
		}
	}
}

func (p *picker) follow(reports <-chan health) {
	for h := range reports {
		p.report(h)
		time.Sleep(100 * time.Microsecond)
	}
}
