package exec

import "testing"

func TestHashJoinStats(t *testing.T) {
	stats := new(RuntimeStats)
	NewHashJoin(16, stats).Run()
	if stats.rows > 32 {
		t.Error("too many rows")
	}
}
