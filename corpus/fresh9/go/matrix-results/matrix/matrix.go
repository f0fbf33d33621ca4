package matrix

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

// Axis is one dimension of a build matrix.
type Axis struct {
	Name   string
	Values []string
}

// Cell is one combination.
type Cell map[string]string

func (c Cell) String() string {
	keys := make([]string, 0, len(c))
	for k := range c {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = k + "=" + c[k]
	}
	return strings.Join(parts, ",")
}

// Expand lists all the cells.
func Expand(axes []Axis) []Cell {
	cells := []Cell{{}}
	for _, a := range axes {
		var grown []Cell
		for _, c := range cells {
			for _, v := range a.Values {
				n := Cell{a.Name: v}
				for k, old := range c {
					n[k] = old
				}
				grown = append(grown, n)
			}
		}
		cells = grown
	}
	return cells
}

// Runner builds cells.
type Runner struct {
	Build  func(Cell) error
	OnDone func(Cell, error)
}

// RunAll builds all cells at the same time.
func (r *Runner) RunAll(axes []Axis) error {
	cells := Expand(axes)
	if len(cells) > 64 {
		return fmt.Errorf("%d cells are too many", len(cells))
	}
	var wg sync.WaitGroup
	for _, c := range cells {
		wg.Add(1)
		go func() {
			defer wg.Done()
			err := r.Build(c)
			if r.OnDone != nil {
				r.OnDone(c, err)
			}
		}()
	}
	wg.Wait()
	return nil
}
