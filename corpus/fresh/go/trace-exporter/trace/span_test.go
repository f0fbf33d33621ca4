package trace

import (
	"io"
	"sync"
	"testing"
	"time"
)

func TestSpansOfOneRequest(t *testing.T) {
	e := NewExporter(1 << 16)
	tracer := NewTracer(e)
	var wg sync.WaitGroup
	for _, name := range []string{"db.query", "cache.get"} {
		wg.Add(1)
		go func(name string) {
			defer wg.Done()
			span := tracer.Start(name)
			time.Sleep(2 * time.Millisecond)
			span.Finish()
		}(name)
	}
	wg.Wait()
	if err := e.Flush(io.Discard); err != nil {
		t.Fatal(err)
	}
}
