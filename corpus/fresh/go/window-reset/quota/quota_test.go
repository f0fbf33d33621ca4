package quota

import (
	"testing"
	"time"
)

func slow() error {
	time.Sleep(time.Millisecond)
	return nil
}

func TestTickUnderLoad(t *testing.T) {
	q := New("search", 100)
	go func() {
		for i := 0; i < 12; i++ {
			_ = q.Do(slow)
		}
	}()
	time.Sleep(5 * time.Millisecond)
	t.Log(q.Tick(time.Now()) > 0)
	time.Sleep(15 * time.Millisecond)
}
