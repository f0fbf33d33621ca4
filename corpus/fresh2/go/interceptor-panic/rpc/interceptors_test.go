package rpc

import (
	"testing"
	"time"
)

func TestPanicWhileBeating(t *testing.T) {
	broken := func(c *Call) error {
		var prices map[string]int
		prices[c.Method] = 1
		return nil
	}
	h := Chain(broken, Recover, Beats(3*time.Millisecond, func(Code, int) {}), Deadline(2*time.Millisecond), Deadline(3*time.Millisecond))
	if err := h(&Call{Method: "Quote"}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(12 * time.Millisecond)
}
