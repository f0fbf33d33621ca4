// Package export writes an archive in parts.
package export

import (
	"sync"
	"time"
)

// Export is an archive on its way.
type Export struct {
	wg     sync.WaitGroup
	settle time.Duration
	sum    uint64
	closed bool
}

// Part writes one part in the background.
func (e *Export) Part(data []byte) {
	e.wg.Add(1)
	go func() {
		defer e.finish(data)
		defer e.wg.Done()
		time.Sleep(e.settle)
	}()
}

func (e *Export) finish(data []byte) {
	time.Sleep(e.settle)
	e.sum += uint64(len(data)) //race:Export.sum
	e.closed = true            //race:Export.closed
	time.Sleep(6 * e.settle)
}

// Total gives the sum when every part is written.
func (e *Export) Total() (uint64, bool) {
	e.wg.Wait()
	time.Sleep(3 * e.settle)
	done := e.closed   //race:Export.closed
	return e.sum, done //race:Export.sum
}
