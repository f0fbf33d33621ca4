package ski

import (
	"testing"
	"time"
)

func TestTwoTurnstiles(t *testing.T) {
	lift := NewLift(5, 4*time.Millisecond)
	paid := make(chan int, 2)
	for _, groups := range [][]int{{4, 2}, {1, 6}} {
		go func(groups []int) { paid <- lift.Turnstile(groups...) }(groups)
		time.Sleep(time.Millisecond)
	}
	if sum := <-paid + <-paid; sum != 65 {
		t.Fatalf("paid %d", sum)
	}
}
