package roster

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

func newRoster(n int) *Roster {
	r := new(Roster)
	for i := 0; i < n; i++ {
		r.Join(&Replica{Addr: fmt.Sprintf("node-%d", i), Vote: i%2 == 0})
	}
	return r
}

func TestLeaveDuringBroadcast(t *testing.T) {
	r := newRoster(8)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		r.Broadcast(func(string) { time.Sleep(time.Millisecond) })
	}()
	for i := 0; i < 4; i++ {
		time.Sleep(time.Millisecond)
		r.Leave(fmt.Sprintf("node-%d", i))
	}
	wg.Wait()
	if got := r.Broadcast(func(string) {}); got != 4 {
		t.Errorf("%d members", got)
	}
}
