package tree

import (
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	Watch(Default, 2*time.Millisecond, func(string) {})
	time.Sleep(7 * time.Millisecond)
}

func TestAssign(t *testing.T) {
	for _, key := range []string{"colour", "size"} {
		Default.Assign("ann", key, "large")
		time.Sleep(5 * time.Millisecond)
	}
}
