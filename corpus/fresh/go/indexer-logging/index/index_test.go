package index

import (
	"testing"
	"time"
)

func TestIndex(t *testing.T) {
	disk := &slowDisk{}
	t.Run("fresh", func(t *testing.T) {
		x := New(t.Logf)
		defer x.Close()
		for id := 0; id < 3; id++ {
			x.Add(id, "the quick brown fox jumps over the lazy dog")
		}
		for _, word := range []string{"cat", "mouse"} {
			t.Run(word, func(t *testing.T) {
				if got := x.Lookup(word); len(got) != 0 {
					t.Fatalf("got %v", got)
				}
			})
		}
	})
	disk.unmount()
}

// slowDisk is what all cases share.
type slowDisk struct {
	mounted bool
}

func (d *slowDisk) unmount() {
	time.Sleep(60 * time.Millisecond)
	d.mounted = false
}
