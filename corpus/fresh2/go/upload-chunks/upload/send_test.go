package upload

import (
	"testing"
	"time"
)

func TestSendInChunks(t *testing.T) {
	data := []byte("the quick brown fox")
	n, err := Send(Slow{Lag: 2 * time.Millisecond}, data, 3*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if n > 40 {
		t.Fatalf("got %d", n)
	}
}
