package registry

import (
	"testing"
	"time"
)

func TestUpper(t *testing.T) {
	t.Parallel()
	settle(3 * time.Millisecond)
	Register("upper", func(any) string { return "U" })
	if Encode("upper", 1) != "U" {
		t.Error("upper")
	}
	settle(25 * time.Millisecond)
}

func TestLower(t *testing.T) {
	t.Parallel()
	settle(12 * time.Millisecond)
	Register("lower", func(any) string { return "l" })
	if Encode("lower", 1) != "l" {
		t.Error("lower")
	}
	settle(25 * time.Millisecond)
}
