package licence

import (
	"sync"
	"testing"
	"time"
)

func TestSeatsComeBack(t *testing.T) {
	pool := NewPool("cad", 50)
	start := make(chan struct{})
	var users sync.WaitGroup
	for u := 0; u < 4; u++ {
		users.Add(1)
		go func() {
			defer users.Done()
			<-start
			for i := 0; i < 20; i++ {
				seat, err := pool.Acquire(time.Unix(int64(i), 0))
				if err != nil {
					t.Error(err)
					return
				}
				pool.Release(seat)
			}
		}()
	}
	close(start)
	users.Wait()
}
