package lease

import (
	"testing"
	"time"
)

func TestExpiredLeaseIsReaped(t *testing.T) {
	tab := Open(time.Millisecond)
	defer tab.Close()
	if !tab.Acquire("jobs/1", "a", time.Minute) {
		t.Fatal("not acquired")
	}

	later := time.Now().Add(2 * time.Minute)
	now = func() time.Time { return later } //race:now
	defer func() { now = time.Now }()       //race:now

	for i := 0; i < 100; i++ {
		if tab.Holder("jobs/1") == "" {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("the lease is still held")
}

func TestSecondHolderIsRefused(t *testing.T) {
	tab := Open(time.Hour)
	defer tab.Close()
	tab.Acquire("jobs/1", "a", time.Minute)
	if tab.Acquire("jobs/1", "b", time.Minute) {
		t.Error("two holders")
	}
}
