package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

type table struct {
	name string
	rows map[string]string
}

type comparer struct {
	left, right map[string]table
}

func (c *comparer) compareTable(name string, emit func(line string)) {
	l, r := c.left[name], c.right[name]
	time.Sleep(300 * time.Microsecond)
	for key, lv := range l.rows {
		if rv, ok := r.rows[key]; !ok {
			emit("- " + name + "." + key)
		} else if rv != lv {
			emit("~ " + name + "." + key)
		}
	}
}

// Diff prints what differs between two databases.
func (c *comparer) Diff() string {
	var out strings.Builder
	var wg sync.WaitGroup
	for name := range c.left {
		wg.Add(1)
		go func(name string) {
			defer wg.Done()
			c.compareTable(name, func(line string) {
				out.WriteString(line + "\n") //race:out
			})
		}(name)
	}
	wg.Wait()
	return out.String()
}

func load(tables ...table) map[string]table {
	m := make(map[string]table)
	for _, t := range tables {
		m[t.name] = t
	}
	return m
}

func main() {
	c := &comparer{
		left: load(
			table{"users", map[string]string{"1": "ada", "2": "bob"}},
			table{"orders", map[string]string{"7": "open"}}),
		right: load(
			table{"users", map[string]string{"1": "ada b."}},
			table{"orders", map[string]string{"7": "closed"}}),
	}
	fmt.Println("differs:", c.Diff() != "")
}
