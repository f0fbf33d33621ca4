package main

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

type endpoint struct {
	method string
	path   string
}

func (e endpoint) call(rep *reporter, code int) {
	start := time.Now()
	time.Sleep(500 * time.Microsecond)
	rep.Timing("http.request", time.Since(start), "path:"+e.path, fmt.Sprintf("code:%d", code))
}

func main() {
	rep := newReporter("shop", map[string]string{"env": "prod", "zone": "b", "svc": "cart"})
	eps := []endpoint{{"GET", "/cart"}, {"POST", "/cart/items"}}
	var wg sync.WaitGroup
	for _, e := range eps {
		e := e
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 3; i++ {
				e.call(rep, http.StatusOK)
			}
		}()
	}
	wg.Wait()
	fmt.Println("points", rep.flush())
}
