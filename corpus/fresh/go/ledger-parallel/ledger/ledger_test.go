package ledger

import (
	"errors"
	"testing"
	"time"
)

func TestPost(t *testing.T) {
	book := Open("acme")
	cases := []struct {
		name   string
		amount int64
		err    error
	}{
		{"deposit", 1500, nil},
		{"withdrawal", -700, nil},
		{"nothing", 0, ErrEmpty},
		{"fee", -25, nil},
	}
	for _, tc := range cases {
		tc := tc
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			time.Sleep(3 * time.Millisecond) // as slow as the real store
			p, err := book.Post(tc.name, tc.amount)
			if !errors.Is(err, tc.err) {
				t.Fatalf("got %v", err)
			}
			if err == nil && p.Seq == 0 {
				t.Fatal("no number")
			}
		})
	}
}
