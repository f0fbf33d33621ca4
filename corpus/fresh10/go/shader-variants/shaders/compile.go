// Package shaders compiles a program once for every set of features.
package shaders

import (
	"fmt"
	"strings"
	"sync"
)

// Feature is a switch of a program.
type Feature string

// Program is a compiled variant.
type Program struct {
	Mask   int
	Source string
}

func expand(source string, features []Feature, mask int) string {
	var b strings.Builder
	for i, f := range features {
		if mask&(1<<i) != 0 {
			fmt.Fprintf(&b, "#define %s\n", f)
		}
	}
	b.WriteString(source)
	return b.String()
}

// Variants compiles all sets of features.
func Variants(source string, features []Feature) []Program {
	n := 1 << len(features)
	compiled := make(chan Program, n)
	var wg sync.WaitGroup
	for mask := 0; mask < n; mask++ { //race:mask
		wg.Add(1)
		go func() {
			defer wg.Done()
			compiled <- Program{mask, expand(source, features, mask)} //race:mask
		}()
	}
	wg.Wait()
	close(compiled)
	var out []Program
	for p := range compiled {
		out = append(out, p)
	}
	return out
}
