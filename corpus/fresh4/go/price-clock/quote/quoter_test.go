package quote

import (
	"testing"
	"time"
)

var quoter *Quoter

func TestBegin(t *testing.T) {
	quoter = Begin(3 * time.Millisecond)
	if quoter == nil {
		t.Fatal("no quoter")
	}
	time.Sleep(10 * time.Millisecond)
}

func TestLastIsRecent(t *testing.T) {
	time.Sleep(5 * time.Millisecond)
	if time.Since(quoter.Last()) > time.Hour {
		t.Error("old")
	}
}

func TestFrozenClock(t *testing.T) {
	frozen := time.Unix(1000, 0)
	old := now                               //race:now
	now = func() time.Time { return frozen } //race:now
	t.Cleanup(func() { now = old })          //race:now
	time.Sleep(10 * time.Millisecond)
}
