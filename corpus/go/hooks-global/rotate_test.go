package rotate

import (
	"testing"
	"time"
)

func TestRotate(t *testing.T) {
	time.Sleep(40 * time.Millisecond)
	Rotate("app.log")
}
