package poller

import (
	"testing"
	"time"
)

func TestPolls(t *testing.T) {
	p := Start("http://a", time.Millisecond)
	if got := <-p.last; got != "ok http://a" {
		t.Errorf("got %q", got)
	}
}

func TestEmptyBody(t *testing.T) {
	fetch = func(string) string { return "" } //race:fetch
	p := Start("http://b", time.Millisecond)
	defer p.Close()
	if got := <-p.last; got != "" {
		t.Errorf("got %q", got)
	}
	time.Sleep(3 * time.Millisecond)
}
