package breaker

import (
	"errors"
	"sync"
	"testing"
	"time"
)

func TestOpensAfterFailures(t *testing.T) {
	b := New(3, time.Minute)
	fail := func() error { return errors.New("upstream") }
	for i := 0; i < 3; i++ {
		_ = b.Do(fail)
	}
	if err := b.Do(fail); !errors.Is(err, ErrOpen) {
		t.Fatal(err)
	}
}

func TestConcurrentCalls(t *testing.T) {
	b := New(5, time.Millisecond)
	var wg sync.WaitGroup
	for g := 0; g < 3; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			for i := 0; i < 20; i++ {
				_ = b.Do(func() error {
					if g == 0 {
						return errors.New("upstream")
					}
					return nil
				})
			}
		}(g)
	}
	wg.Wait()
}
