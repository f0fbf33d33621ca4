package codec

import (
	"testing"
	"time"
)

func TestEncodeTwice(t *testing.T) {
	first := Encode("abcdef")
	go func() {
		time.Sleep(9 * time.Millisecond)
		Encode("ghijkl")
		time.Sleep(30 * time.Millisecond)
	}()
	if Checksum(first, 4*time.Millisecond) == 0 {
		t.Fatal("nothing")
	}
}
