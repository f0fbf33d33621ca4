// Package parse reads files.
package parse

import (
	"strings"
	"sync"

	"example.com/tinyc/symtab/symtab"
)

// Files parses all files and returns how many words each has.
func Files(t *symtab.Table, files []string) []int {
	counts := make([]int, len(files))
	var wg sync.WaitGroup
	for i, text := range files {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, word := range strings.Fields(text) {
				if t.Intern(word) > 0 {
					counts[i]++
				}
			}
		}()
	}
	wg.Wait()
	return counts
}
