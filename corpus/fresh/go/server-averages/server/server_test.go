package server

import (
	"testing"
	"time"
)

func TestReportUnderLoad(t *testing.T) {
	s := &Server{}
	go func() {
		for i := 0; i < 5; i++ {
			s.Handle("/orders")
		}
	}()
	time.Sleep(7 * time.Millisecond)
	t.Log(s.Report())
	time.Sleep(8 * time.Millisecond)
}
