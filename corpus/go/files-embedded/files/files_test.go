package files

import (
	"testing"
	"time"
)

func TestAbort(t *testing.T) {
	c := NewCopier("a", "b")
	go c.Copy(3)
	time.Sleep(30 * time.Millisecond)
	c.Abort()
}
