package client

import (
	"testing"
	"time"
)

func TestDial(t *testing.T) {
	t.Run("client", func(t *testing.T) {
		c := Dial(14*time.Millisecond, WithLogger(t), WithBeats(2))
		for _, beats := range []int{1, 2, 3} {
			t.Run("beats", func(t *testing.T) {
				if c.beats > 3*beats {
					t.Fatal(c.beats)
				}
			})
		}
	})
	time.Sleep(45 * time.Millisecond)
}
