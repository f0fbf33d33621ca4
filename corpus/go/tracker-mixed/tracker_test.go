package tracker

import (
	"testing"
	"time"
)

func TestString(t *testing.T) {
	tr := &Tracker{label: "sort"}
	go func() {
		tr.Consume(64)
	}()
	time.Sleep(20 * time.Millisecond)
	if s := tr.String(); s == "" {
		t.Error("no text")
	}
}
