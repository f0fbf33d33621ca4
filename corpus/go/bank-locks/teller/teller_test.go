package teller

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/bank/bank"
)

func TestTwoTellers(t *testing.T) {
	b := bank.New()
	one, two := &Teller{b}, &Teller{b}
	go one.Serve("move")
	time.Sleep(30 * time.Millisecond)
	two.Serve("report")
}
