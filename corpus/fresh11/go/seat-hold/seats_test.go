package seats

import "testing"

func TestOneBuyerGetsTheSeat(t *testing.T) {
	h := NewHall(10, 20)
	answers := make(chan error)
	buyers := []string{"ada", "grace", "jean"}
	for _, who := range buyers {
		go func() { answers <- h.Hold(4, 7, who) }()
	}
	got := 0
	for range buyers {
		if err := <-answers; err == nil {
			got++
		}
	}
	if got == 0 {
		t.Error("nobody got it")
	}
}
