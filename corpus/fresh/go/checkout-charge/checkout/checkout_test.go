package checkout

import (
	"testing"
	"time"
)

type slowBank struct{}

func (slowBank) Debit(string, int) (string, error) {
	time.Sleep(6 * time.Millisecond)
	return "tx-1", nil
}

type quiet struct{}

func (quiet) Note(string, bool) {}

func TestCharge(t *testing.T) {
	d := NewDesk(slowBank{}, quiet{})
	r, err := d.Charge("acme", Order{"o-1", 1290})
	if err != nil || r.Ref != "tx-1" {
		t.Fatal(r, err)
	}
	time.Sleep(5 * time.Millisecond)
}
