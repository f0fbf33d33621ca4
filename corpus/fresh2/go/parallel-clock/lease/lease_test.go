package lease

import (
	"testing"
	"time"
)

func TestGrant(t *testing.T) {
	t.Parallel()
	b := book()
	l := b.Grant("ann", 500)
	for i := 0; i < 3; i++ {
		time.Sleep(3 * time.Millisecond)
		clock.Advance(10)
	}
	if !b.Valid(l) {
		t.Error("too early")
	}
}

func TestExpire(t *testing.T) {
	t.Parallel()
	b := book()
	l := b.Grant("bo", 20)
	time.Sleep(5 * time.Millisecond)
	clock.Advance(30)
	if b.Valid(l) {
		t.Error("too late")
	}
}
