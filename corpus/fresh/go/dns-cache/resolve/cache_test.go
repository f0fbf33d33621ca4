package resolve

import (
	"sync"
	"testing"
	"time"
)

func TestManyClients(t *testing.T) {
	c := NewCache(func(string) ([]string, time.Duration, error) {
		return []string{"192.0.2.7"}, time.Minute, nil
	})
	if _, err := c.Lookup("db.internal"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			time.Sleep(time.Millisecond)
			if addrs, _ := c.Lookup("db.internal"); len(addrs) != 1 {
				t.Error(addrs)
			}
		}()
	}
	wg.Wait()
}
