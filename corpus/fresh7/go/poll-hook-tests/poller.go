package poller

import "time"

// fetch is how a poller reads its source.
var fetch = func(url string) string { return "ok " + url }

// Poller reads a source again and again.
type Poller struct {
	url  string
	stop chan struct{}
	last chan string
}

// Start begins to poll.
func Start(url string, every time.Duration) *Poller {
	p := &Poller{url: url, stop: make(chan struct{}), last: make(chan string, 1)}
	go p.loop(every)
	return p
}

func (p *Poller) poll() {
	body := fetch(p.url) //race:fetch
	select {
	case p.last <- body:
	default:
	}
}

func (p *Poller) loop(every time.Duration) {
	for {
		select {
		case <-p.stop:
			return
		case <-time.After(every):
			p.poll()
		}
	}
}

// Close ends polling.
func (p *Poller) Close() { close(p.stop) }
