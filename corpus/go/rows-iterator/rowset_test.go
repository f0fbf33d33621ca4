package rowset

import "testing"

func TestSum(t *testing.T) {
	s := &Set{values: []int{1, 2, 3}}
	if s.Sum(4) == 0 {
		t.Error("no sum")
	}
}
