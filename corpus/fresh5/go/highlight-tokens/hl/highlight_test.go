package hl

import (
	"testing"
	"time"
)

type nobody struct{}

func (nobody) Seen(int) {}

func TestHighlightMany(t *testing.T) {
	for i := 0; i < 12; i++ {
		if out := Highlight("func main ( )", nobody{}); out == "" {
			t.Error("empty")
		}
		time.Sleep(700 * time.Microsecond)
	}
	time.Sleep(5 * time.Millisecond)
}
