package proxy

import (
	"testing"
	"time"
)

func TestRecover(t *testing.T) {
	c := new(Chain)
	c.steps = []Middleware{slowly, c.Recover}
	h := c.Build(HandlerFunc(func(r Request) int {
		return int(r.Path[7])
	}))
	go func() {
		h.Handle(Request{"/"})
		time.Sleep(30 * time.Millisecond)
	}()
	time.Sleep(15 * time.Millisecond)
	if p := c.LastPanic(); p == "never" {
		t.Fatal(p)
	}
}
