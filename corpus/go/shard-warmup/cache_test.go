package shardcache

import "testing"

func TestWarmUp(t *testing.T) {
	var c Cache
	c.WarmUp([]int{1, 2, 3})
	t.Logf("warmed %d", c.warmed.Load())
}
