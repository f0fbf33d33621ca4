package tally

import (
	"strings"
	"time"
)

// Feed counts the words of a text, slowly.
func (t *Tally) Feed(text string, pause time.Duration) {
	for _, word := range strings.Fields(text) {
		time.Sleep(pause)
		t.Bump(word)
	}
	time.Sleep(5 * pause)
}
