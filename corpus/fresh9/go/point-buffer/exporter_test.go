package points

import (
	"context"
	"testing"
	"time"
)

type countingSink struct{ batches int }

func (s *countingSink) Write(p []Point) error {
	s.batches++
	return nil
}

func TestExporterFlushesOnInterval(t *testing.T) {
	sink := &countingSink{}
	e := NewExporter(sink, time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	go e.Run(ctx)

	for i := 0; i < 50; i++ {
		e.Record("http_requests", float64(i))
		time.Sleep(200 * time.Microsecond)
	}
	cancel()
	<-e.done
	if sink.batches == 0 {
		t.Fatal("nothing was flushed")
	}
}
