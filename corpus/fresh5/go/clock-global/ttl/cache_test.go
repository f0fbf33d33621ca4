package ttl

import (
	"testing"
	"time"
)

func TestEviction(t *testing.T) {
	c := NewCache(time.Millisecond)
	defer c.Close()
	time.Sleep(5 * time.Millisecond)
	frozen := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	saved := now                             //race:now
	now = func() time.Time { return frozen } //race:now
	time.Sleep(5 * time.Millisecond)
	now = saved //race:now
	time.Sleep(5 * time.Millisecond)
}
