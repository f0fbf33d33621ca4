package trace

import (
	"testing"
	"time"
)

func work(s *Span, steps ...func(*Span)) {
	for _, step := range steps {
		time.Sleep(4 * time.Millisecond)
		step(s)
	}
}

func TestExportEarly(t *testing.T) {
	root := Start("checkout", nil)
	step := func(s *Span) { s.Tag("db", "orders") }
	carry := func(s *Span) { Start("child", Start("between", s)).Carry("user", "ann") }
	go work(root, step, carry)
	time.Sleep(14 * time.Millisecond)
	e := &Exporter{Send: func(string, []Line) {}}
	e.Export(root)
}
