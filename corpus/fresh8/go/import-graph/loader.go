package main

import (
	"fmt"
	"strings"
	"sync"
)

type source struct {
	name string
	text string
}

type pkg struct {
	files   []source
	imports map[string]int
}

func scanImports(text string) []string {
	var found []string
	for _, line := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "import "); ok {
			found = append(found, strings.Trim(rest, `"`))
		}
	}
	return found
}

// load parses the files of a package and counts its imports.
func load(files []source) *pkg {
	imports := map[string]int{}
	var wg sync.WaitGroup
	for _, f := range files {
		f := f
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, path := range scanImports(f.text) {
				imports[path]++ //race:imports[]
			}
		}()
	}
	wg.Wait()
	return &pkg{files: files, imports: imports}
}

func main() {
	p := load([]source{
		{"a.go", "package x\nimport \"fmt\"\nimport \"os\""},
		{"b.go", "package x\nimport \"fmt\"\nimport \"io\""},
		{"c.go", "package x\nimport \"sync\""},
	})
	fmt.Println(len(p.files), "files", len(p.imports) > 0)
}
