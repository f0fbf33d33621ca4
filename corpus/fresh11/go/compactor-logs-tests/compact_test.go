package compact

import (
	"testing"
	"time"
)

func TestMerge(t *testing.T) {
	c := New(t, 15*time.Millisecond)
	t.Run("two", func(t *testing.T) {
		c.Merge([]int{1, 2})
		if got := <-c.results; got != 3 {
			t.Errorf("merged into %d", got)
		}
	})
	t.Run("three", func(t *testing.T) {
		c.Merge([]int{4, 5})
		if got := <-c.results; got != 9 {
			t.Errorf("merged into %d", got)
		}
	})
}

func TestNothingToMerge(t *testing.T) {
	c := New(t, time.Millisecond)
	c.Merge(nil)
	time.Sleep(60 * time.Millisecond)
	if len(c.results) != 0 {
		t.Error("merged nothing into something")
	}
}
