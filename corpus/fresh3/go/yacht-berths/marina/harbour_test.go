package marina

import (
	"testing"
	"time"
)

func TestSummer(t *testing.T) {
	harbour := NewHarbour(1)
	berth, err := harbour.Assign("Albatros", 1)
	if err != nil {
		t.Fatal(err)
	}
	paid := make(chan int, 1)
	go func() {
		time.Sleep(2 * time.Millisecond)
		days := berth.Leave(4)
		time.Sleep(8 * time.Millisecond)
		paid <- days
	}()
	time.Sleep(5 * time.Millisecond)
	if _, err := harbour.Assign("Basilisk", 5); err != nil {
		t.Fatal(err)
	}
	<-paid
}
