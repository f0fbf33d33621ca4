package retention

import (
	"sync"
	"testing"
)

type trash struct {
	mu    sync.Mutex
	bytes int64
}

func (t *trash) Drop(p Partition) {
	t.mu.Lock()
	t.bytes += p.Bytes
	t.mu.Unlock()
}

func TestSweepDropsOldDays(t *testing.T) {
	var bin trash
	last := Sweep(&bin, []Partition{{"clicks", 1, 10}, {"clicks", 2, 20}, {"views", 3, 30}, {"views", 9, 5}}, 5)
	if last.Day != 9 {
		t.Errorf("last is %+v", last)
	}
	t.Log("dropped", bin.bytes)
}
