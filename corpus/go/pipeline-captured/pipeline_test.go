package pipeline

import "testing"

type list []int

func (l list) Read() (int, error) {
	if len(l) == 0 {
		return 0, errClosed
	}
	return len(l), nil
}

func TestStart(t *testing.T) {
	j := &Job{"copy", &Pipeline{list{1, 2}, list{3}}}
	if err := j.Start(); err != nil {
		t.Fatal(err)
	}
}
