package uplink

import (
	"testing"
	"time"
)

func TestSmallBatches(t *testing.T) {
	u := Dial()
	time.Sleep(4 * time.Millisecond)
	batchSize = 1                     //race:batchSize
	retryDelay = 2 * time.Millisecond //race:retryDelay
	time.Sleep(8 * time.Millisecond)
	if u.Hangup() == 0 {
		t.Error("nothing sent")
	}
}
