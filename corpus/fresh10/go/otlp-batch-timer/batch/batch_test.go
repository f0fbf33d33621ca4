package batch

import (
	"errors"
	"testing"
	"time"
)

type refusing struct{ slow time.Duration }

func (r refusing) Export(spans []Span) error {
	time.Sleep(r.slow)
	return errors.New("collector is away")
}

func TestShutdownCountsLostSpans(t *testing.T) {
	p := NewProcessor(refusing{5 * time.Millisecond}, 100, time.Millisecond)
	for _, name := range []string{"GET /", "GET /cart", "POST /cart"} {
		p.OnEnd(Span{Name: name, Start: time.Now()})
	}
	time.Sleep(3 * time.Millisecond)
	if lost := p.Shutdown(); lost > 3 {
		t.Errorf("%d spans lost", lost)
	}
	time.Sleep(10 * time.Millisecond)
}
