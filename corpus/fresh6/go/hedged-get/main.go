package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

type replica struct {
	host  string
	delay time.Duration
}

type response struct {
	host string
	code int
}

// hedger asks a second replica if the first is slow.
type hedger struct {
	replicas []replica
	after    time.Duration
}

func (h *hedger) attempt(ctx context.Context, req *http.Request, r replica, n int) response {
	req.Header.Set("X-Attempt", fmt.Sprint(n)) //race:req.Header
	req.Header.Set("X-Replica", r.host)        //race:req.Header
	select {
	case <-time.After(r.delay):
		return response{host: r.host, code: http.StatusOK}
	case <-ctx.Done():
		return response{host: r.host, code: http.StatusRequestTimeout}
	}
}

// Do returns the first answer.
func (h *hedger) Do(ctx context.Context, req *http.Request) response {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan response, len(h.replicas))
	for n, r := range h.replicas {
		go func(n int, r replica) {
			if n > 0 {
				time.Sleep(h.after)
			}
			answers <- h.attempt(ctx, req, r, n)
		}(n, r)
	}
	return <-answers
}

func main() {
	h := &hedger{
		replicas: []replica{{"a.store", 8 * time.Millisecond}, {"b.store", 3 * time.Millisecond}},
		after:    2 * time.Millisecond,
	}
	req, err := http.NewRequest(http.MethodGet, "http://store/items/7", nil)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Accept", "application/json")
	r := h.Do(context.Background(), req)
	time.Sleep(5 * time.Millisecond)
	fmt.Println(r.host, r.code)
}
