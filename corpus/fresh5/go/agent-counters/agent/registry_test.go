package agent

import (
	"sync"
	"testing"
	"time"
)

func TestBumpFromManyCores(t *testing.T) {
	var r Registry
	in, out := r.Register("net.rx"), r.Register("net.tx")
	var wg sync.WaitGroup
	for core := 0; core < 3; core++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 5; i++ {
				r.Bump(in, 1500)
				r.Bump(out, 60)
				time.Sleep(time.Millisecond)
			}
		}()
	}
	time.Sleep(2 * time.Millisecond)
	if name := r.Busiest(); name == "" {
		t.Error("no counter")
	}
	wg.Wait()
}
