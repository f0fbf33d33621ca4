// Package hammer runs functions at once.
package hammer

import (
	"sync"
	"testing"
	"time"
)

// Run calls every function in a goroutine of its own.
func Run(t *testing.T, calls ...func()) {
	t.Helper()
	var wg sync.WaitGroup
	for i, call := range calls {
		wg.Add(1)
		go one(&wg, call, time.Duration(i)*20*time.Millisecond)
	}
	wg.Wait()
}

func one(wg *sync.WaitGroup, call func(), wait time.Duration) {
	defer wg.Done()
	time.Sleep(wait)
	guarded(call)
}

func guarded(call func()) {
	defer func() { _ = recover() }()
	call()
}
