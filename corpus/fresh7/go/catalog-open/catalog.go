package main

import (
	"fmt"
	"sync"
	"time"
)

type tableMeta struct {
	name    string
	columns []string
}

type catalog struct {
	version int
	tables  map[string]tableMeta
}

// engine opens its catalogue when it is first needed.
type engine struct {
	mu   sync.Mutex
	path string
	cat  *catalog
}

func (e *engine) readCatalog() *catalog {
	time.Sleep(time.Millisecond)
	return &catalog{version: 3, tables: map[string]tableMeta{ //race:catalog.version
		"users": {name: "users", columns: []string{"id", "email"}},
	}}
}

func (e *engine) catalog() *catalog {
	if e.cat != nil { //race:engine.cat
		return e.cat //race:engine.cat
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cat == nil {
		e.cat = e.readCatalog() //race:engine.cat
	}
	return e.cat
}

func (e *engine) describe(table string) int {
	c := e.catalog()
	if c.version == 0 { //race:catalog.version
		return 0
	}
	return 1
}

func main() {
	e := &engine{path: "/var/lib/db"}
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			time.Sleep(time.Duration(i) * 700 * time.Microsecond)
			e.describe("users")
		}(i)
	}
	wg.Wait()
	fmt.Println("described")
}
