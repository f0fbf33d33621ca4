package progress

import (
	"testing"
	"time"
)

func TestFinishEarly(t *testing.T) {
	b := Start(64)
	go Copy(b, "disk.img", 4096, 256)
	time.Sleep(6 * time.Millisecond)
	b.Finish()
	if len(b.last) != 1 {
		t.Errorf("files: %d", len(b.last))
	}
	time.Sleep(20 * time.Millisecond)
}
