package crawler

import (
	"testing"
	"time"
)

func set(n int, name string) {
	limit = n    //race:limit
	agent = name //race:agent
}

func TestStart(t *testing.T) {
	Start()
	time.Sleep(20 * time.Millisecond)
}

func TestSettings(t *testing.T) {
	time.Sleep(10 * time.Millisecond)
	set(5, "crawler/2")
}
