// Command window counts requests per window.
package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"
)

type window struct {
	requests atomic.Int64
	failures atomic.Int64
}

type collector struct {
	cur window
}

func (c *collector) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.cur.requests.Add(1) //race:collector.cur
		next.ServeHTTP(w, r)
		if r.URL.Path == "/missing" {
			c.cur.failures.Add(1) //race:collector.cur
		}
	})
}

func (c *collector) rotate() (requests, failures int64) {
	requests, failures = c.cur.requests.Load(), c.cur.failures.Load()
	c.cur = window{} //race:collector.cur
	return requests, failures
}

func main() {
	c := &collector{}
	h := c.wrap(http.NotFoundHandler())
	over := make(chan struct{})
	go func() {
		defer close(over)
		for i := 0; i < 20; i++ {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/missing", nil))
			time.Sleep(200 * time.Microsecond)
		}
	}()
	for i := 0; i < 3; i++ {
		time.Sleep(time.Millisecond)
		n, bad := c.rotate()
		fmt.Println(n >= bad)
	}
	<-over
}
