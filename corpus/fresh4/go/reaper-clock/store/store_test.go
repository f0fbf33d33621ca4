package store

import (
	"testing"
	"time"
)

func epoch() int64 { return 42 }

func freeze(t *testing.T, life time.Duration) {
	t.Helper()
	timeNow = epoch        //race:timeNow
	lifetime = int64(life) //race:lifetime
}

func TestReap(t *testing.T) {
	s := Open(3 * time.Millisecond)
	defer s.Close()
	time.Sleep(8 * time.Millisecond)
	freeze(t, time.Second)
	time.Sleep(8 * time.Millisecond)
	if len(s.items) != 0 {
		t.Fatal("items left")
	}
}
