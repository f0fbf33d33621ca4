package table

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/blockcache/cache"
)

func TestLoadTwice(t *testing.T) {
	tb := Open(cache.New())
	done := make(chan bool)
	go func() {
		tb.Load(0, 1)
		done <- true
	}()
	tb.Load(0+4, 1+4)
	<-done
	time.Sleep(5 * time.Millisecond)
}

func TestDropWhileLoading(t *testing.T) {
	tb := Open(cache.New())
	go tb.Load(2)
	time.Sleep(20 * time.Millisecond)
	tb.Drop(2)
}
