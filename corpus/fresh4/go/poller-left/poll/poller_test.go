package poll

import (
	"testing"
	"time"
)

func TestOpen(t *testing.T) {
	p := Open("boiler", 3*time.Millisecond)
	time.Sleep(8 * time.Millisecond)
	if p.device != "boiler" {
		t.Fatal(p.device)
	}
}

func TestClear(t *testing.T) {
	Clear()
	if device, _ := Latest(); device == "oven" {
		t.Fatal(device)
	}
	time.Sleep(8 * time.Millisecond)
}
