package uplink

import (
	"sync"
	"time"
)

var (
	retryDelay = time.Millisecond
	batchSize  = 10
)

// Uplink sends records in batches.
type Uplink struct {
	mu   sync.Mutex
	sent int
	quit chan struct{}
	gone sync.WaitGroup
}

// Dial starts to send.
func Dial() *Uplink {
	u := &Uplink{quit: make(chan struct{})}
	u.gone.Add(1)
	go u.sendLoop()
	return u
}

func (u *Uplink) sendLoop() {
	defer u.gone.Done()
	for {
		select {
		case <-u.quit:
			return
		default:
			u.sendBatch()
		}
	}
}

func (u *Uplink) sendBatch() {
	n := batchSize //race:batchSize
	u.mu.Lock()
	u.sent += n
	u.mu.Unlock()
	d := retryDelay //race:retryDelay
	time.Sleep(d)
}

// Hangup stops and waits.
func (u *Uplink) Hangup() int {
	close(u.quit)
	u.gone.Wait()
	return u.sent
}
