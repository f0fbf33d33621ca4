package vault

import (
	"testing"
	"time"
)

func monitor(v *Vault, rounds int, out chan<- Status) {
	for i := 0; i < rounds; i++ {
		time.Sleep(4 * time.Millisecond)
		out <- v.Status()
	}
	time.Sleep(20 * time.Millisecond)
}

func TestMonitor(t *testing.T) {
	v := new(Vault)
	out := make(chan Status, 16)
	go monitor(v, 5, out)
	time.Sleep(6 * time.Millisecond)
	v.Unseal("k")
	time.Sleep(8 * time.Millisecond)
	v.Seal()
	time.Sleep(8 * time.Millisecond)
	if len(out) == 0 {
		t.Error(v)
	}
}
