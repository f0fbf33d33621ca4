package sqlrun

import (
	"testing"
	"time"
)

func TestFirstRow(t *testing.T) {
	s := NewSession()
	rows := s.Query("select region from orders", 6)
	if row := rows.Next(); len(row) != 2 {
		t.Fatalf("got %v", row)
	}
	time.Sleep(4 * time.Millisecond)
	if err := s.Exec("drop table orders"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(15 * time.Millisecond)
}
