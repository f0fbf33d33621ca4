package segments

import (
	"testing"
	"time"
)

type slowPutter struct{ delay time.Duration }

func (p slowPutter) Put(name string, data []byte) error {
	time.Sleep(p.delay)
	return nil
}

func TestUploadCountsBytes(t *testing.T) {
	u := New(slowPutter{time.Millisecond})
	stats := u.Upload([][]byte{make([]byte, 10), make([]byte, 20), make([]byte, 30)})
	if stats.Bytes > 60 { //race:Stats.Bytes
		t.Errorf("%d bytes", stats.Bytes)
	}
}
