package orders

import (
	"testing"
	"time"
)

func TestProcessAll(t *testing.T) {
	orders := []Order{{1, 2}, {2, 1}, {3, 9}, {4, 4}, {5, 1}}
	got := ProcessAll(orders, func(o Order) (int, error) {
		time.Sleep(time.Millisecond)
		return o.Items * 250, nil
	})
	if len(got) > len(orders) {
		t.Error("too many prices")
	}
}
