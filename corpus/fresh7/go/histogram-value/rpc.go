package main

import (
	"fmt"
	"sync"
	"time"
)

type method func(req string) string

type rpcServer struct {
	latency *Histogram
	methods map[string]method
}

func (s *rpcServer) dispatch(name, req string) string {
	start := time.Now()
	defer func() { s.latency.Observe(time.Since(start).Seconds()) }()
	m, ok := s.methods[name]
	if !ok {
		return "unimplemented"
	}
	return m(req)
}

func main() {
	s := &rpcServer{
		latency: NewHistogram(5, 10),
		methods: map[string]method{"echo": func(r string) string {
			time.Sleep(time.Millisecond)
			return r
		}},
	}
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 3; n++ {
				s.dispatch("echo", "ping")
			}
		}()
	}
	wg.Wait()
	fmt.Println("observed:", s.latency.Total() > 0)
}
