package courier

import (
	"testing"
	"time"
)

func TestStop(t *testing.T) {
	c := Start()
	time.Sleep(60 * time.Millisecond)
	c.Stop()
}
