package encoder

import (
	"testing"
	"time"
)

func TestOpenClose(t *testing.T) {
	s := Open(2, 4*time.Millisecond)
	time.Sleep(18 * time.Millisecond)
	s.Close()
	time.Sleep(12 * time.Millisecond)
}
