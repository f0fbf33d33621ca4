package health

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestPickPrefersHealthy(t *testing.T) {
	ups := []*Upstream{{Addr: "a:80"}, {Addr: "b:80"}}
	p := &Prober{Every: 500 * time.Microsecond, Dial: func(_ context.Context, addr string) error {
		if addr == "b:80" {
			return errors.New("refused")
		}
		return nil
	}}
	ctx, cancel := context.WithCancel(context.Background())
	p.Watch(ctx, ups)

	var got *Upstream
	for i := 0; i < 200 && got == nil; i++ {
		time.Sleep(time.Millisecond)
		got = Pick(ups)
	}
	for i := 0; i < 20; i++ {
		time.Sleep(time.Millisecond)
		got = Pick(ups)
	}
	cancel()
	if got == nil || got.Addr != "a:80" {
		t.Fatalf("picked %+v", got)
	}
}
