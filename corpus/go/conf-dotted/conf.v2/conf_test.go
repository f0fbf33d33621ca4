package conf

import (
	"testing"
	"time"
)

func TestReload(t *testing.T) {
	s := &Settings{}
	go s.Reload("eu-north")
	time.Sleep(20 * time.Millisecond)
	t.Log(s.Region())
}
