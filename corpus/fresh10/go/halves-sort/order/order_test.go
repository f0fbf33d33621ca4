package order

import (
	"slices"
	"testing"
)

func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = (i*7919 + 13) % 1009
	}
	return out
}

func TestSmall(t *testing.T) {
	v := numbers(10)
	Column(v)
	if !slices.IsSorted(v) {
		t.Error("not in order")
	}
}

func TestLarge(t *testing.T) {
	v := numbers(4000)
	Column(v)
	if !slices.IsSorted(v) {
		t.Error("not in order")
	}
}
