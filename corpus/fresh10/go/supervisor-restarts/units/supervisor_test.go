package units

import (
	"errors"
	"testing"
)

func TestOperatorAndWatchdog(t *testing.T) {
	s := NewSupervisor("web", "queue")
	ended := make(chan error, 2)
	go func() {
		for i := 0; i < 50; i++ {
			_ = s.Restart("web")
		}
		ended <- s.Stop("web", "operator")
	}()
	go func() {
		for i := 0; i < 50; i++ {
			_ = s.Restart("queue")
		}
		ended <- s.Stop("queue", "watchdog")
	}()
	if err := errors.Join(<-ended, <-ended); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop("mail", "test"); !errors.Is(err, ErrUnknown) {
		t.Errorf("got %v", err)
	}
}
