package plan

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/plannerhistograms/stats"
)

// ladder joins a table with itself, again and again.
func ladder(h *stats.Histogram, depth int) Operator {
	if depth == 0 {
		return &Filter{Input: &Scan{Column: h}, On: h, Limit: 300}
	}
	return &Join{Left: ladder(h, depth-1), Right: &Scan{Column: h}}
}

func TestChooseWhileAnalysing(t *testing.T) {
	h := &stats.Histogram{}
	stats.NewAnalyser(4*time.Millisecond).Start(h, func(part int) (stats.Bucket, bool) {
		return stats.Bucket{Upper: int64(100 * (part + 1)), Count: 10}, part < 2
	})
	time.Sleep(14 * time.Millisecond)
	if _, err := Choose([]Operator{ladder(h, 7)}); err != nil {
		t.Fatal(err)
	}
}
