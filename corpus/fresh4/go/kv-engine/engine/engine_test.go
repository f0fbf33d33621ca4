package engine

import (
	"fmt"
	"testing"
	"time"
)

func TestConcurrentGets(t *testing.T) {
	e := new(Engine)
	e.Put("k1", "v1")
	e.Put("k2", "v2")
	errs := make(chan error, 2)
	for i := 1; i <= 2; i++ {
		go func(i int) {
			time.Sleep(time.Duration(5*i) * time.Millisecond)
			key := fmt.Sprintf("k%d", i)
			_, ok := e.Get(key)
			time.Sleep(25 * time.Millisecond)
			if !ok {
				errs <- fmt.Errorf("no %s", key)
				return
			}
			errs <- nil
		}(i)
	}
	for i := 0; i < cap(errs); i++ {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
