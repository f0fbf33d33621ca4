package fleet

import (
	"sync"
	"testing"
	"time"
)

func TestBoot(t *testing.T) {
	src := &Source{text: "north south"}
	var wg sync.WaitGroup
	for _, m := range []Machine{{1, src}, {3, src}} {
		m := m
		wg.Add(1)
		go func() {
			defer wg.Done()
			m.Boot()
			time.Sleep(25 * time.Millisecond)
		}()
	}
	wg.Wait()
}
