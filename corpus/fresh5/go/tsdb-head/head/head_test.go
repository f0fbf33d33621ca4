package head

import (
	"testing"
	"time"
)

func TestDescribeDuringIngest(t *testing.T) {
	h := Open(2)
	stop := make(chan struct{})
	go func() {
		ts := int64(1000)
		low := int64(1000)
		for {
			select {
			case <-stop:
				return
			default:
			}
			h.Append(1, ts)
			h.Append(1, low)
			ts += 15
			low -= 15
			time.Sleep(time.Millisecond)
		}
	}()
	time.Sleep(12 * time.Millisecond)
	if m := h.Describe(); m.Min > m.Max {
		t.Errorf("min %d above max %d", m.Min, m.Max)
	}
	time.Sleep(12 * time.Millisecond)
	close(stop)
}
