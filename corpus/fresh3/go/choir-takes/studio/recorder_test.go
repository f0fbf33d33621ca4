package studio

import (
	"testing"
	"time"
)

func record(t *testing.T, pieces ...string) {
	r := NewRecorder(t, time.Millisecond)
	for _, piece := range pieces {
		r.Sing(Take{piece, 9})
		t.Run(piece, func(t *testing.T) {
			if cap(r.tape) < len(pieces) {
				t.Error("the tape is too short")
			}
		})
	}
}

func TestConcert(t *testing.T) {
	t.Run("first half", func(t *testing.T) { record(t, "Kyrie", "Gloria", "Credo", "Agnus Dei") })
	time.Sleep(60 * time.Millisecond)
}
