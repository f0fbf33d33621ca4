package server

import (
	"context"
	"testing"
	"time"
)

func TestLimitEndsEarly(t *testing.T) {
	c := &Conn{}
	n, err := c.Query(context.Background(), 40)
	if err != nil || n != 40 {
		t.Fatalf("got %d, %v", n, err)
	}
	time.Sleep(40 * time.Millisecond)
	if len(c.SlowLog()) != 1 {
		t.Fatal("no slow log")
	}
}
