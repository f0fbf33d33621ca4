package canal

import (
	"testing"
	"time"
)

func TestPinMoves(t *testing.T) {
	barge := &Tracker{Barge: "Emma"}
	arrived := make(chan struct{})
	go func() {
		defer close(arrived)
		barge.Voyage(Keeper{3, 3 * time.Millisecond}, Keeper{4, 12 * time.Millisecond})
	}()
	time.Sleep(8 * time.Millisecond)
	if pin := barge.Pin(); pin == "" {
		t.Fatal("no pin")
	}
	<-arrived
}
