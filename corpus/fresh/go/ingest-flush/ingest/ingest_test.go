package ingest

import (
	"testing"
	"time"
)

type null struct{}

func (null) WriteBlock(Block) error { return nil }

func TestCloseFlushes(t *testing.T) {
	in := New(null{}, 4)
	for i := 0; i < 10; i++ {
		in.Put("a line")
	}
	if n := in.Close(); n != 2 {
		t.Logf("flushed %d at the end", n)
	}
	time.Sleep(8 * time.Millisecond)
}
