package poller

import "time"

// Server is polled for mail.
type Server interface {
	Poll(box string) int
}

// Poller asks a server again and again.
type Poller struct {
	server Server
	box    string
	every  time.Duration
	quit   chan struct{}
	found  chan int
}

// Start begins to poll.
func Start(s Server, box string, every time.Duration) *Poller {
	p := &Poller{s, box, every, make(chan struct{}), make(chan int, 1)}
	go p.loop()
	return p
}

func (p *Poller) loop() {
	for {
		select {
		case <-p.quit:
			return
		case <-time.After(p.every):
			n := p.server.Poll(p.box)
			select {
			case p.found <- n:
			default:
			}
		}
	}
}

// Next waits for a result.
func (p *Poller) Next() int { return <-p.found }

// Stop ends the polling.
func (p *Poller) Stop() { close(p.quit) }
