package proxy

import (
	"net/http"
	"strconv"
	"sync/atomic"
)

// Gauge follows the requests of one backend.
type Gauge struct {
	inflight int64
	total    int64
	max      int64
}

// Wrap counts what goes through a handler.
func (g *Gauge) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := atomic.AddInt64(&g.inflight, 1) //race:Gauge.inflight
		defer atomic.AddInt64(&g.inflight, -1) //race:Gauge.inflight
		atomic.AddInt64(&g.total, 1)
		for {
			seen := atomic.LoadInt64(&g.max)
			if now <= seen || atomic.CompareAndSwapInt64(&g.max, seen, now) {
				break
			}
		}
		next.ServeHTTP(w, r)
	})
}

// ServeHTTP shows the numbers.
func (g *Gauge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	line := "inflight " + strconv.FormatInt(g.inflight, 10) //race:Gauge.inflight
	line += "\ntotal " + strconv.FormatInt(atomic.LoadInt64(&g.total), 10)
	_, _ = w.Write([]byte(line + "\n"))
}
