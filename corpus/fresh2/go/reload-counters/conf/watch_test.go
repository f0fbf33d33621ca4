package conf

import (
	"testing"
	"time"
)

func plain(text string) (map[string]string, error) {
	return map[string]string{"text": text}, nil
}

func TestBeginWhileFollowing(t *testing.T) {
	w := NewWatcher(Strict(plain))
	go w.Follow([]string{"a=1", "", "a=2", ""}, 4*time.Millisecond)
	time.Sleep(10 * time.Millisecond)
	w.Begin()
	time.Sleep(12 * time.Millisecond)
}
