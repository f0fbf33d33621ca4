package site

import (
	"testing"
	"time"
)

func TestStatusUnderLoad(t *testing.T) {
	s := New()
	go func() {
		for i := 0; i < 10; i++ {
			s.Serve("/")
			s.Serve("/about")
			time.Sleep(time.Millisecond)
		}
	}()
	time.Sleep(8 * time.Millisecond)
	t.Log(s.Status())
	time.Sleep(10 * time.Millisecond)
}
