// Package batch collects spans and exports them by size or by time.
package batch

import (
	"sync"
	"time"
)

// Span is what is exported.
type Span struct {
	Name  string
	Start time.Time
	Took  time.Duration
}

// Exporter takes spans away.
type Exporter interface {
	Export([]Span) error
}

// Processor batches spans.
type Processor struct {
	exporter Exporter
	delay    time.Duration
	limit    int

	addMu   sync.Mutex
	timer   *time.Timer
	pending []Span
	dropped int
}

// NewProcessor makes a processor that waits for limit spans, or for delay.
func NewProcessor(e Exporter, limit int, delay time.Duration) *Processor {
	return &Processor{exporter: e, limit: limit, delay: delay}
}

// OnEnd takes a finished span.
func (p *Processor) OnEnd(s Span) {
	p.addMu.Lock()
	p.pending = append(p.pending, s)
	full := len(p.pending) >= p.limit
	if p.timer == nil {
		p.timer = time.AfterFunc(p.delay, p.flush)
	}
	p.addMu.Unlock()
	if full {
		p.flush()
	}
}

func (p *Processor) take() []Span {
	p.addMu.Lock()
	defer p.addMu.Unlock()
	out := p.pending
	p.pending = nil
	return out
}

func (p *Processor) flush() {
	spans := p.take()
	if err := p.exporter.Export(spans); err != nil {
		p.dropped += len(spans) //race:Processor.dropped
	}
}

// Shutdown exports what is left and returns the number of spans that were lost.
func (p *Processor) Shutdown() int {
	p.addMu.Lock()
	if p.timer != nil {
		p.timer.Stop()
	}
	p.addMu.Unlock()
	rest := p.take()
	if len(rest) > 0 && p.exporter.Export(rest) != nil {
		return p.dropped + len(rest) //race:Processor.dropped
	}
	return p.dropped //race:Processor.dropped
}
