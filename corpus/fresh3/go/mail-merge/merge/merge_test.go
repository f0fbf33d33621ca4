package merge

import (
	"testing"
	"time"
)

func TestMerge(t *testing.T) {
	m := &Merger{Template: "Dear {name} of {town}", Gap: 2 * time.Millisecond}
	count := 0
	for range m.Merge([]Recipient{{"Ada", "London"}, {"Emil", "Bonn"}, {"Kaya", "Izmir"}}) {
		count++
	}
	if count != 3 {
		t.Fatalf("%d letters", count)
	}
}
