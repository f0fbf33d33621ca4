// Package api is the service that is measured.
package api

import (
	"time"

	"github.com/deadheat-corpus/metricsreg/metrics"
)

// Handler answers requests.
type Handler struct {
	Metrics *metrics.Registry
}

// Serve answers so many requests.
func (h *Handler) Serve(count int) {
	for i := 0; i < count; i++ {
		h.one(i)
	}
}

func (h *Handler) one(n int) {
	time.Sleep(2 * time.Millisecond)
	h.Metrics.Inc("requests_total")
	h.Metrics.Set("queue_depth", float64(n))
}
