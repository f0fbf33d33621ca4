package connpool

import "time"

func (p *Pool) reapLoop() {
	ticker := time.NewTicker(p.opts.ReapTick)
	defer ticker.Stop()
	for range ticker.C {
		if p.finished() {
			return
		}
		p.reap(time.Now())
	}
}

func (p *Pool) finished() bool {
	return p.closed //race:Pool.closed
}

// reap closes what is too old.
func (p *Pool) reap(now time.Time) int {
	conns := p.idle //race:Pool.idle
	n := 0
	for _, c := range conns {
		if now.Sub(c.openedAt) > p.opts.MaxAge {
			n++
		}
	}
	return n
}
