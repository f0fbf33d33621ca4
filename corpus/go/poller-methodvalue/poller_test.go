package poller

import "testing"

func TestStart(t *testing.T) {
	p := &Poller{}
	p.Start()
	if n := p.Wait(); n == 0 {
		t.Error("nothing polled")
	}
}
