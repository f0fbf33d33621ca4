package idle

import (
	"errors"
	"testing"
	"time"
)

type slow struct{}

func (slow) Free(string) { time.Sleep(6 * time.Millisecond) }

func TestCloseOnTheBrink(t *testing.T) {
	s := Open("s-1", 5*time.Millisecond, slow{})
	time.Sleep(8 * time.Millisecond)
	if err := s.Close(); !errors.Is(err, ErrClosed) {
		t.Log(err)
	}
	time.Sleep(12 * time.Millisecond)
}
