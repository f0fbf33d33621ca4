package host

import (
	"errors"
	"testing"
	"time"
)

type git struct{}

func (git) Name() string { return "git" }

func (git) Commands() map[string]Command {
	status := func([]string) (string, error) { return "clean", nil }
	return map[string]Command{"status": status}
}

func TestCommandsAppear(t *testing.T) {
	h := New()
	h.LoadAll(git{}, git{})
	for i := 0; i < 40; i++ {
		_, err := h.Run("git:status -s")
		if err == nil {
			break
		}
		if !errors.Is(err, ErrUnknown) {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := h.Run("help"); err != nil {
		t.Fatal(err)
	}
}
