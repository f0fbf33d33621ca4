package echo

import (
	"testing"
	"time"
)

func TestEcho(t *testing.T) {
	t.Run("valley", func(t *testing.T) {
		wall := Build(12*time.Millisecond, t.Logf)
		for _, sound := range []string{"hey", "ho", "hallo"} {
			t.Run(sound, func(t *testing.T) {
				wall.Shout(sound)
			})
		}
	})
	time.Sleep(60 * time.Millisecond)
}
