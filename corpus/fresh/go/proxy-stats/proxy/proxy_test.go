package proxy

import (
	"io"
	"strings"
	"testing"
	"time"
)

func TestStatsWhileCopying(t *testing.T) {
	p := New(4)
	go func() { _ = p.Copy(io.Discard, strings.NewReader("a long line that is copied in pieces")) }()
	time.Sleep(4 * time.Millisecond)
	t.Logf("%.2f", p.Stats.Ratio())
	time.Sleep(5 * time.Millisecond)
}
