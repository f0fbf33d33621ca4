package ledger

import (
	"testing"
	"time"
)

var seeded = NewBook(map[string]int64{"cash": 1000, "bank": 5000, "till": 100})

func transfer(t *testing.T, b *Book, from, to string, amount int64) {
	t.Helper()
	if err := b.Post(from, to, amount); err != nil {
		t.Fatalf("post %s to %s: %v", from, to, err)
	}
}

func TestTransfer(t *testing.T) {
	t.Parallel()
	transfer(t, seeded, "cash", "rent", 100)
	time.Sleep(time.Millisecond)
	if seeded.Balance("rent") != 100 {
		t.Error("rent was not credited")
	}
}

func TestInsufficient(t *testing.T) {
	t.Parallel()
	if err := seeded.Post("till", "rent", 400); err != ErrFunds {
		t.Errorf("got %v", err)
	}
	time.Sleep(time.Millisecond)
	transfer(t, seeded, "bank", "cash", 10)
}
