package index

import (
	"sort"
	"sync"
)

// Package is parsed source.
type Package struct {
	Path    string
	Symbols []string
}

// Location says where a symbol is declared.
type Location struct {
	Path string
	Line int
}

// Build indexes packages.
func Build(pkgs []Package) map[string]Location {
	table := make(map[string]Location)
	group := new(sync.WaitGroup)
	group.Add(len(pkgs))
	for i := range pkgs {
		p := pkgs[i]
		go func() {
			defer group.Done()
			for line, sym := range p.Symbols {
				key := p.Path + "." + sym
				table[key] = Location{p.Path, line + 1} //race:table[]
			}
		}()
	}
	group.Wait()
	return table
}

// Names lists what an index has.
func Names(table map[string]Location) []string {
	out := make([]string, 0, len(table))
	for name := range table {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}
