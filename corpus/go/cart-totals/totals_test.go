package cart

import "testing"

func TestRecordAll(t *testing.T) {
	totals := NewTotals()
	totals.RecordAll([]Line{{"tea", 450}, {"mug", 900}})
	if len(totals.bySKU) != 2 {
		t.Errorf("got %d articles, want 2", len(totals.bySKU))
	}
}
