package spool

import (
	"testing"
	"time"
)

func TestRoundsFollowOneAnother(t *testing.T) {
	d := NewFrontDesk(New(2 * time.Millisecond))
	d.Round(Job{"letter", 2}, Job{"invoice", 2})
	time.Sleep(7 * time.Millisecond)
	d.Round(Job{"flyer", 1})
	time.Sleep(7 * time.Millisecond)
	d.Round(Job{"poster", 1})
	time.Sleep(10 * time.Millisecond)
}
