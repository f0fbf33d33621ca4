package zone

import (
	"testing"
	"time"
)

func use(z *Zones, wait time.Duration, out chan<- int) {
	time.Sleep(wait)
	n := z.Offset("CET")
	n += z.Names()
	time.Sleep(25 * time.Millisecond)
	out <- n
}

func TestZones(t *testing.T) {
	z := &Zones{cost: time.Millisecond}
	out := make(chan int)
	go use(z, 2*time.Millisecond, out)
	go use(z, 10*time.Millisecond, out)
	if <-out+<-out == 0 {
		t.Fatal("no zones")
	}
}
