package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"sync"
)

type customer struct {
	id    int
	name  string
	spent float64
}

func (c customer) cells() []string {
	return []string{fmt.Sprint(c.id), c.name, fmt.Sprintf("%.2f", c.spent)}
}

// exporter turns customers into a table.
type exporter struct {
	out *csv.Writer
}

func (e *exporter) page(customers []customer) error {
	for _, c := range customers {
		if err := e.out.Write(c.cells()); err != nil { //race:exporter.out
			return err
		}
	}
	return nil
}

func (e *exporter) run(pages [][]customer) {
	var wg sync.WaitGroup
	for _, p := range pages {
		wg.Add(1)
		go func(p []customer) {
			defer wg.Done()
			_ = e.page(p)
		}(p)
	}
	wg.Wait()
	e.out.Flush()
}

func main() {
	var buf bytes.Buffer
	e := &exporter{out: csv.NewWriter(&buf)}
	e.run([][]customer{
		{{1, "ada", 10}, {2, "bob", 20}},
		{{3, "cyn", 30}, {4, "dan", 40}},
	})
	fmt.Println("bytes", buf.Len() > 0)
}
