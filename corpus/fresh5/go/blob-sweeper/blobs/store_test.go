package blobs

import (
	"testing"
	"time"
)

func TestCloseWhileSweeping(t *testing.T) {
	s := Open(map[string]int{"sha256:aa": 1, "sha256:bb": 0}, 2*time.Millisecond)
	time.Sleep(9 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond)
}
