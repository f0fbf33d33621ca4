package discovery

import (
	"context"
	"testing"
	"time"
)

func stub(t *testing.T, addrs ...string) {
	t.Helper()
	saved := lookupSRV
	lookupSRV = func(string) ([]string, error) { return addrs, nil } //race:lookupSRV
	t.Cleanup(func() { lookupSRV = saved })                          //race:lookupSRV
}

func TestBackendsMove(t *testing.T) {
	stub(t, "10.0.0.1:80")
	ctx, cancel := context.WithCancel(context.Background())
	s := Watch(ctx, "_web._tcp", time.Millisecond)
	time.Sleep(5 * time.Millisecond)
	stub(t, "10.0.0.2:80", "10.0.0.3:80")
	deadline := time.Now().Add(time.Second)
	for len(s.Addrs()) != 2 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	cancel()
	s.Wait()
	if len(s.Addrs()) != 2 {
		t.Errorf("addrs %q", s.Addrs())
	}
}
