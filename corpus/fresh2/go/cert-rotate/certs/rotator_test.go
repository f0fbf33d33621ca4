package certs

import (
	"testing"
	"time"
)

func TestHandshakes(t *testing.T) {
	ready := []*Certificate{{"shop", 1}, {"shop", 2}, {"shop", 3}}
	r := NewRotator("shop", &Drawer{time.Millisecond, ready}, time.Minute)
	results := make(chan error, 2)
	dial := func(after time.Duration) {
		time.Sleep(after)
		c, err := r.Handshake()
		if c == nil && err == nil {
			t.Error("no certificate")
		}
		results <- err
	}
	go dial(0)
	go dial(8 * time.Millisecond)
	for i := 0; i < cap(results); i++ {
		if err := <-results; err != nil {
			t.Fatal(err)
		}
	}
}
