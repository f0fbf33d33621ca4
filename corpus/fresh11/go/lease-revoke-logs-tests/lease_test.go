package lease

import (
	"testing"
	"time"
)

func TestGrantHolds(t *testing.T) {
	table := NewTable(t.Logf)
	for _, key := range []string{"shard-1", "shard-3"} {
		t.Run(key, func(t *testing.T) {
			before := table.Len()
			table.Grant(key, 10*time.Millisecond)
			if table.Len() != before+1 {
				t.Error("not held")
			}
		})
	}
}

func TestLeasesEnd(t *testing.T) {
	table := NewTable(func(string, ...any) {})
	table.Grant("shard-4", 5*time.Millisecond)
	time.Sleep(40 * time.Millisecond)
	if n := table.Len(); n != 0 {
		t.Errorf("%d held", n)
	}
}
