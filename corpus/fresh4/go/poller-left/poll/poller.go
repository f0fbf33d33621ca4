// Package poll asks devices for their values.
package poll

import "time"

type reading struct {
	device string
	value  int
}

var latest reading
var polls int

// Poller asks one device again and again.
type Poller struct {
	device string
	quit   chan struct{}
}

// Open starts to poll a device.
func Open(device string, every time.Duration) *Poller {
	p := &Poller{device: device, quit: make(chan struct{})}
	go p.run(every)
	return p
}

func (p *Poller) run(every time.Duration) {
	for n := 1; ; n++ {
		select {
		case <-p.quit:
			return
		case <-time.After(every):
		}
		latest = reading{p.device, n} //race:latest
		polls++                       //race:polls
	}
}

// Close ends the polling.
func (p *Poller) Close() error {
	close(p.quit)
	return nil
}

// Latest is the last value of any device.
func Latest() (string, int) {
	r := latest //race:latest
	return r.device, r.value
}

// Clear forgets what was polled.
func Clear() {
	latest = reading{} //race:latest
	polls = 0          //race:polls
}
