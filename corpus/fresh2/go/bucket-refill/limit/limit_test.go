package limit

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/bucketrefill/bucket"
)

func TestLevelsUnderLoad(t *testing.T) {
	l := New(func() *bucket.Bucket { return bucket.New(2, 50) })
	go func() {
		for i := 0; i < 6; i++ {
			l.Allow("mobile")
		}
		time.Sleep(20 * time.Millisecond)
	}()
	time.Sleep(5 * time.Millisecond)
	l.Levels(func(caller string, level Level) {
		if level.Full > 1 {
			t.Errorf("%s has %v", caller, level)
		}
	})
}
