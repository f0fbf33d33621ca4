package fridge

import (
	"testing"
	"time"
)

func TestWarmFridge(t *testing.T) {
	f := Open("insulin", Fixed(11), 3*time.Millisecond)
	time.Sleep(4 * time.Millisecond)
	if f.sensor.Celsius() < 8 {
		t.Fatal("it is cold")
	}
}

func TestJournalIsShort(t *testing.T) {
	f := Open("vaccines", Fixed(5), 5*time.Millisecond)
	defer f.Close()
	time.Sleep(6 * time.Millisecond)
	if n := Entries(); n > 50 {
		t.Fatalf("%d entries", n)
	}
	time.Sleep(6 * time.Millisecond)
}
