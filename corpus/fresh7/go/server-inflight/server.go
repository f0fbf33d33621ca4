package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Server serves requests until it is drained.
type Server struct {
	inflight int32
	peak     int32
	handle   func(ctx context.Context)
}

func (s *Server) enter() {
	n := atomic.AddInt32(&s.inflight, 1) //race:Server.inflight
	for {
		p := atomic.LoadInt32(&s.peak)                           //race:Server.peak
		if n <= p || atomic.CompareAndSwapInt32(&s.peak, p, n) { //race:Server.peak
			return
		}
	}
}

func (s *Server) leave() { atomic.AddInt32(&s.inflight, -1) } //race:Server.inflight

// Serve handles one request.
func (s *Server) Serve(ctx context.Context) {
	s.enter()
	defer s.leave()
	s.handle(ctx)
}

// Drain waits until nothing is in flight.
func (s *Server) Drain(ctx context.Context) error {
	for s.inflight > 0 { //race:Server.inflight
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Microsecond):
		}
	}
	return nil
}

// ResetPeak starts a new window.
func (s *Server) ResetPeak() {
	s.peak = 0 //race:Server.peak
}

func main() {
	s := &Server{handle: func(context.Context) { time.Sleep(2 * time.Millisecond) }}
	ctx := context.Background()
	for i := 0; i < 3; i++ {
		go s.Serve(ctx)
	}
	time.Sleep(time.Millisecond)
	s.ResetPeak()
	go s.Serve(ctx)
	fmt.Println(s.Drain(ctx))
	time.Sleep(4 * time.Millisecond)
}
