package main

import (
	"fmt"
	"sync"
	"time"
)

type middleware struct {
	m    *meter
	next func(path string) int
}

func (mw middleware) serveCall(tenant, path string) int {
	mw.m.Hit(tenant, path)
	return mw.next(path)
}

func main() {
	mw := middleware{m: newMeter(), next: func(string) int {
		time.Sleep(200 * time.Microsecond)
		return 200
	}}
	var wg sync.WaitGroup
	for _, path := range []string{"/v1/users", "/v1/orders"} {
		wg.Add(1)
		go func(path string) {
			defer wg.Done()
			for i := 0; i < 4; i++ {
				mw.serveCall("acme", path)
			}
		}(path)
	}
	wg.Wait()
	fmt.Println("keys", mw.m.Keys("acme"))
}
