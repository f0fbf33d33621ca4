package feed

import (
	"testing"
	"time"
)

func TestMerge(t *testing.T) {
	news := []Entry{{"one", 1}, {"two", 9}}
	n, m := Merge([]Source{
		Far{3 * time.Millisecond, news},
		Far{5 * time.Millisecond, news},
	}, 5)
	if n+m > 4 {
		t.Fatalf("got %d, %d", n, m)
	}
}
