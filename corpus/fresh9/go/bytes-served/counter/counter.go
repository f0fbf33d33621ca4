package counter

import (
	"fmt"
	"sync/atomic"
)

// Traffic counts what a listener has served.
type Traffic struct {
	bytes    uint64
	requests uint64
}

// Served counts one response.
func (t *Traffic) Served(n int) {
	atomic.AddUint64(&t.bytes, uint64(n)) //race:Traffic.bytes
	atomic.AddUint64(&t.requests, 1)
}

// Requests is the number of responses.
func (t *Traffic) Requests() uint64 { return atomic.LoadUint64(&t.requests) }

// String is for the log.
func (t *Traffic) String() string {
	return fmt.Sprintf("%d requests, %s", t.Requests(), human(t.bytes)) //race:Traffic.bytes
}

func human(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB"}
	i := 0
	for n >= 1024 && i < len(units)-1 {
		n /= 1024
		i++
	}
	return fmt.Sprintf("%d %s", n, units[i])
}
