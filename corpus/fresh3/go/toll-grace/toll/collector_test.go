package toll

import (
	"testing"
	"time"
)

func strict(t *testing.T) {
	t.Helper()
	wasGrace, wasPenny := grace, penny
	t.Cleanup(func() { grace, penny = wasGrace, wasPenny })
	grace = time.Minute //race:grace
	penny = 5           //race:penny
}

func TestStrictDays(t *testing.T) {
	c := Collect(5, Pass{"B-XY 12", time.Now().Add(-time.Hour)})
	time.Sleep(6 * time.Millisecond)
	strict(t)
	if c.Total() < 100 {
		t.Fatal("nobody paid")
	}
}
