package profile

import (
	"testing"
	"time"
)

func TestLoad(t *testing.T) {
	p, err := Load(Static(2*time.Millisecond), 7)
	if err != nil || p.Name == "" {
		t.Error("no page", err)
	}
}
