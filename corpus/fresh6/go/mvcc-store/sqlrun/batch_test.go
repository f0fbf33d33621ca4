package sqlrun

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/mvccstore/kv"
)

func TestBatchIsOneTransaction(t *testing.T) {
	s := kv.NewStore()
	e := New(s, 500*time.Microsecond)
	batch := []Statement{
		{"users", "1", "ada"}, {"users", "2", "bob"}, {"orders", "9", "open"},
	}
	if err := e.Run(batch); err != nil {
		t.Fatal(err)
	}
}

func TestStatementNeedsTable(t *testing.T) {
	e := New(kv.NewStore(), 0)
	if err := e.Run([]Statement{{Key: "1"}}); err == nil {
		t.Error("ran without a table")
	}
}
