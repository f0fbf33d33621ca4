package frame

import (
	"testing"
	"time"
)

func TestSnapshot(t *testing.T) {
	f := &Frame{pixels: make([]byte, 64)}
	go f.Fill(7)
	time.Sleep(20 * time.Millisecond)
	t.Log(len(f.Snapshot()))
}
