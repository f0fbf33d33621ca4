package scan

import "testing"

func TestScan(t *testing.T) {
	var c Collector
	if rows := c.Scan(3, 2); len(rows) > 5 {
		t.Errorf("got %d rows", len(rows))
	}
}
