package relay

import (
	"testing"
	"time"
)

func TestLookupDuringRefresh(t *testing.T) {
	r := New(12 * time.Millisecond)
	go r.Refresh([][2]string{{"a.example", "10.0.0.1"}, {"b.example", "10.0.0.2"}, {"c.example", "10.0.0.3"}})
	time.Sleep(6 * time.Millisecond)
	if got := r.Lookup("z.example"); got.Known {
		t.Fatal(got)
	}
	if got := r.Pointer("10.9.9.9"); got.Known {
		t.Fatal(got)
	}
	time.Sleep(20 * time.Millisecond)
}
