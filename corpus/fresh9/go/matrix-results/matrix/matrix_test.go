package matrix

import (
	"errors"
	"testing"
)

var axes = []Axis{
	{"os", []string{"linux", "darwin"}},
	{"go", []string{"1.22", "1.23", "1.24"}},
}

func TestExpand(t *testing.T) {
	if got := len(Expand(axes)); got != 6 {
		t.Fatalf("%d cells", got)
	}
}

func TestRunAllReportsEveryCell(t *testing.T) {
	var failed []string
	r := &Runner{
		Build: func(c Cell) error {
			if c["os"] == "darwin" {
				return errors.New("no runner")
			}
			return nil
		},
		OnDone: func(c Cell, err error) {
			if err != nil {
				failed = append(failed, c.String()) //race:failed
			}
		},
	}
	if err := r.RunAll(axes); err != nil {
		t.Fatal(err)
	}
	if len(failed) > 3 {
		t.Errorf("failed: %v", failed)
	}
}
