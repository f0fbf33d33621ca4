// Package poll looks for new mail now and then.
package poll

import "time"

var (
	now   = time.Now
	pause = 50 * time.Millisecond
)

// Box is where mail is.
type Box interface {
	Unread(since time.Time) int
}

// Poller looks into a box.
type Poller struct {
	box  Box
	quit chan struct{}
}

// Start returns a poller that is at work.
func Start(box Box) *Poller {
	p := &Poller{box: box, quit: make(chan struct{})}
	go p.loop()
	return p
}

func (p *Poller) loop() {
	for {
		wait := pause //race:pause
		select {
		case <-p.quit:
			return
		case <-time.After(wait):
			p.look()
		}
	}
}

func (p *Poller) look() {
	clock := now //race:now
	p.box.Unread(clock().Add(-time.Hour))
}

// Stop tells the poller to end.
func (p *Poller) Stop() {
	close(p.quit)
}
