package vote

import (
	"testing"
	"time"
)

type studio struct {
	speech time.Duration
}

func (s studio) show(c *Count) int64 {
	time.Sleep(s.speech)
	return c.Result()
}

func TestEvening(t *testing.T) {
	count := Start("moon", Precinct{"harbour", []string{"moon", "sun", "moon", "sun"}, 3 * time.Millisecond})
	if votes := (studio{4 * time.Millisecond}).show(count); votes > 2 {
		t.Fatalf("%d votes", votes)
	}
}
