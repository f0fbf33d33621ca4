// Package replay runs recorded requests again.
package replay

import "time"

// Logf writes a line.
type Logf func(format string, args ...any)

// Request is a recorded request.
type Request struct {
	Path  string
	After time.Duration
}

// Replayer runs requests in the background.
type Replayer struct {
	logf Logf
	feed chan Request
}

// New returns a replayer that says what it does.
func New(logf Logf) *Replayer {
	r := &Replayer{logf: logf, feed: make(chan Request, 16)}
	go r.loop()
	return r
}

// Feed queues requests.
func (r *Replayer) Feed(requests ...Request) {
	for _, one := range requests {
		r.feed <- one
	}
}

func (r *Replayer) loop() {
	for one := range r.feed {
		time.Sleep(one.After)
		r.say(one.Path)
	}
}

func (r *Replayer) say(path string) {
	r.logf("replayed %s", path) //race:testing.common.done
}

// Pending is how many requests wait.
func (r *Replayer) Pending() int {
	return len(r.feed)
}
