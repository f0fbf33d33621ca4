package dispatch

import (
	"testing"
	"time"
)

func TestCall(t *testing.T) {
	a := &Accounts{}
	go Call(a, "Open", 1)
	time.Sleep(20 * time.Millisecond)
	t.Log(Call(a, "Open", 2))
}
