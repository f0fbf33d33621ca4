package main

import (
	"fmt"
	"sync"
)

type request struct {
	user string
	path string
}

func route(c *Client, r request) string {
	if c.Enabled("new-checkout", r.user) {
		return "/v2" + r.path
	}
	return r.path
}

func main() {
	c := New([]rule{{"new-checkout", 40}, {"dark-mode", 100}})
	reqs := []request{{"u1", "/cart"}, {"u2", "/cart"}, {"u3", "/pay"}}
	paths := make([]string, len(reqs))

	var wg sync.WaitGroup
	wg.Add(len(reqs))
	for i, r := range reqs {
		go func(i int, r request) {
			defer wg.Done()
			paths[i] = route(c, r)
		}(i, r)
	}
	wg.Wait()
	fmt.Println(paths)
}
