package verify

import (
	"context"
	"testing"
	"time"
)

type fixed int

func (f fixed) Count(context.Context, string) (int, error) {
	time.Sleep(time.Millisecond)
	return int(f), nil
}

func TestMismatchIsTold(t *testing.T) {
	p := &Pair{Old: fixed(1200), New: fixed(1199), Mismatch: make(chan string, 1)}
	n, err := p.Count(context.Background(), "orders")
	if n != 1200 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if got := <-p.Mismatch; got == "" {
		t.Error("nothing told")
	}
}
