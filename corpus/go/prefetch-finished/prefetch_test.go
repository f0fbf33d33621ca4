package prefetch

import (
	"testing"
	"time"
)

func TestPage(t *testing.T) {
	f := &Fetcher{}
	f.Prefetch()
	time.Sleep(50 * time.Millisecond)
	if len(f.Page()) != 16 {
		t.Error("short page")
	}
}
