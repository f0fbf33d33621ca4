package feed

import (
	"testing"
	"time"
)

var journal Journal

func TestSubscribe(t *testing.T) {
	s := Subscribe(&journal, time.Millisecond)
	if s == nil {
		t.Fatal("no subscription")
	}
	time.Sleep(3 * time.Millisecond)
}

func TestEmptyJournal(t *testing.T) {
	journal.last = 0 //race:Journal.last
	time.Sleep(4 * time.Millisecond)
	if journal.ticks != 0 {
		t.Error("ticks in an empty journal")
	}
}
