package status

import (
	"strings"
	"testing"
	"time"
)

func up(url string) (string, error) { return "up", nil }

func waitState(t *testing.T, p *Poller) string {
	t.Helper()
	for i := 0; i < 200; i++ {
		if s, n := p.State(); n > 0 {
			return s
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("never polled")
	return ""
}

func TestPollerReportsState(t *testing.T) {
	p := Start(up, time.Millisecond)
	if got := waitState(t, p); got != "up" {
		t.Errorf("state %q", got)
	}
}

func TestPollerUsesEndpoint(t *testing.T) {
	endpoint = "http://127.0.0.1:9" //race:endpoint
	urls := make(chan string, 64)
	p := Start(func(url string) (string, error) {
		urls <- url
		return "up", nil
	}, 2*time.Millisecond)
	defer p.Stop()
	waitState(t, p)
	if u := <-urls; !strings.HasPrefix(u, "http://127.0.0.1") {
		t.Errorf("asked %s", u)
	}
	time.Sleep(5 * time.Millisecond)
}
