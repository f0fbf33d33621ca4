package gateway

import (
	"testing"
	"time"
)

func TestFetchAndStore(t *testing.T) {
	g := New("store:7000")
	go func() {
		if err := g.Store("a", "1"); err != nil {
			t.Error(err)
		}
	}()
	time.Sleep(30 * time.Millisecond)
	if _, err := g.Fetch("a"); err != nil {
		t.Fatal(err)
	}
}
