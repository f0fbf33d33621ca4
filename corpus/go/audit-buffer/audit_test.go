package audit

import (
	"testing"
	"time"
)

func TestRecorder(t *testing.T) {
	r := &Recorder{}
	go r.Login("carol")
	time.Sleep(20 * time.Millisecond)
	r.Logout("dave")
}
