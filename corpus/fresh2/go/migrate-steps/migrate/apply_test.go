package migrate

import (
	"errors"
	"testing"
	"time"
)

func lazy(d time.Duration, err error) func() error {
	return func() error {
		time.Sleep(d)
		return err
	}
}

func TestApplyGivesUp(t *testing.T) {
	s := NewSchema(10 * time.Millisecond)
	seen := make(chan int, 8)
	s.OnStep(func(version int) { seen <- version })
	_, err := s.Apply([]Step{
		{1001, lazy(4*time.Millisecond, nil)},
		{1002, lazy(12*time.Millisecond, nil)},
		{1003, lazy(time.Millisecond, errors.New("no such table"))},
	})
	if !errors.Is(err, ErrSlow) {
		t.Fatal(err)
	}
	time.Sleep(15 * time.Millisecond)
}
