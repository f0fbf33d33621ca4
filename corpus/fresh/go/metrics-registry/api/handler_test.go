package api

import (
	"io"
	"testing"
	"time"

	"github.com/deadheat-corpus/metricsreg/metrics"
)

func TestScrapeUnderLoad(t *testing.T) {
	h := &Handler{Metrics: metrics.NewRegistry()}
	go h.Serve(4)
	time.Sleep(5 * time.Millisecond)
	h.Metrics.Write(io.Discard)
	time.Sleep(10 * time.Millisecond)
}
