package tally

import (
	"testing"
	"time"
)

func TestFeed(t *testing.T) {
	words := Of(8)
	go words.Feed("to be or not", 4*time.Millisecond)
	time.Sleep(10 * time.Millisecond)
	if n := words.Count("question"); n != 0 {
		t.Fatal(n)
	}
	time.Sleep(12 * time.Millisecond)
}
