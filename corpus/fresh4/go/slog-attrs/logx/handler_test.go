package logx

import (
	"log/slog"
	"testing"
	"time"
)

func serve(log *slog.Logger, name string, wait time.Duration) {
	time.Sleep(wait)
	log = log.With(slog.String(name, "on"))
	log.Info("served")
	time.Sleep(25 * time.Millisecond)
}

func TestChildren(t *testing.T) {
	lines := make(chan string, 8)
	base := New(lines)
	go serve(base, "tenant", 2*time.Millisecond)
	go serve(base, "region", 10*time.Millisecond)
	time.Sleep(20 * time.Millisecond)
	if len(lines) > 2 {
		t.Fatal(len(lines))
	}
}
