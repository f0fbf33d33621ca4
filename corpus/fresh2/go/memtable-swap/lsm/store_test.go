package lsm

import (
	"testing"
	"time"
)

func TestLookupDuringFlush(t *testing.T) {
	s := Open(12)
	stop := make(chan struct{})
	defer close(stop)
	go s.FlushEvery(5*time.Millisecond, stop)
	time.Sleep(time.Millisecond)
	s.Set("user/1", "ann")
	s.Set("user/2", "bo")
	time.Sleep(9 * time.Millisecond)
	if _, ok := s.Lookup("user/9"); ok {
		t.Fatal("found what was never written")
	}
}
