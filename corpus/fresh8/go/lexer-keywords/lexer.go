package main

import (
	"fmt"
	"strings"
	"sync"
)

type symbol struct {
	name string
	uses int
}

// symbolTable is shared by the parsers of one site.
type symbolTable struct {
	byName map[string]*symbol
}

func (t *symbolTable) define(name string) *symbol {
	s := &symbol{name: name}
	t.byName[name] = s //race:symbolTable.byName[]
	return s
}

func (t *symbolTable) lookup(name string) (*symbol, bool) {
	s, ok := t.byName[name] //race:symbolTable.byName[]
	return s, ok
}

type parser struct {
	table *symbolTable
	undef int
}

func (p *parser) parse(text string) {
	for _, word := range strings.Fields(text) {
		if strings.HasPrefix(word, "def:") {
			p.table.define(strings.TrimPrefix(word, "def:"))
			continue
		}
		if _, ok := p.table.lookup(word); !ok {
			p.undef++
		}
	}
}

func main() {
	table := &symbolTable{byName: map[string]*symbol{"html": {name: "html"}}}
	var wg sync.WaitGroup
	for _, text := range []string{"def:header html", "html footer nav"} {
		wg.Add(1)
		go func(text string) {
			defer wg.Done()
			(&parser{table: table}).parse(text)
		}(text)
	}
	wg.Wait()
	fmt.Println("symbols", len(table.byName) > 0)
}
