package mesh

import (
	"testing"
	"time"
)

func TestPickWhileWatching(t *testing.T) {
	c := NewCluster("10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80", "10.0.0.4:80")
	go c.Watch(6, func(addr string) bool { return addr == "10.0.0.2:80" })
	for i := 0; i < 12; i++ {
		if c.Pick() == nil {
			t.Error("no endpoint")
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(5 * time.Millisecond)
}
