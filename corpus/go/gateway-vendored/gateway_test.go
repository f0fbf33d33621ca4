package gateway

import (
	"testing"
	"time"
)

func TestServe(t *testing.T) {
	g := New(2)
	go g.Serve()
	time.Sleep(20 * time.Millisecond)
	if !g.Serve() {
		t.Error("refused")
	}
}
