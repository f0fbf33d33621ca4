package hedge

import (
	"context"
	"net/http"
	"testing"
	"time"
)

type backend struct {
	name    string
	latency time.Duration
}

func (b backend) Call(_ context.Context, r *Request) (string, error) {
	for i := 0; i < 4; i++ {
		time.Sleep(b.latency / 4)
		if r.Trace() == "" {
			return "", http.ErrAbortHandler
		}
	}
	return b.name, nil
}

func TestSlowBackendIsHedged(t *testing.T) {
	c := New(4*time.Millisecond, backend{"a", 24 * time.Millisecond}, backend{"b", 8 * time.Millisecond})
	h := http.Header{"X-Request-Id": {"42"}}
	got, err := c.Do(context.Background(), &Request{Path: "/", Header: h})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("answered by", got)
	time.Sleep(10 * time.Millisecond)
}
