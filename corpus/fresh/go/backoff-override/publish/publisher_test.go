package publish

import (
	"errors"
	"testing"
	"time"
)

type down struct{}

func (down) Put(string) error { return errors.New("connection refused") }

func setRetryDelay(t *testing.T, d time.Duration) {
	old := retryDelay
	retryDelay = d                         //race:retryDelay
	t.Cleanup(func() { retryDelay = old }) //race:retryDelay
}

func TestStartReturnsAtOnce(t *testing.T) {
	begin := time.Now()
	Start(down{}, "order.created")
	time.Sleep(5 * time.Millisecond)
	if time.Since(begin) > time.Second {
		t.Fatal("it waits for the broker")
	}
}

func TestTriesAgain(t *testing.T) {
	setRetryDelay(t, time.Millisecond)
	p := Start(down{}, "order.paid")
	time.Sleep(40 * time.Millisecond)
	if p.Attempts() < 2 {
		t.Fatal("it gave up")
	}
}
