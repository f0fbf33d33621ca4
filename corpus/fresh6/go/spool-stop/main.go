package main

import (
	"fmt"
	"time"
)

func printAll(docs []doc) int {
	s := startSpooler()
	for _, d := range docs {
		s.Submit(d)
	}
	time.Sleep(2 * time.Millisecond)
	s.Stop()
	return s.Pages()
}

func main() {
	pages := printAll([]doc{{"menu", 3}, {"report", 30}})
	time.Sleep(3 * time.Millisecond)
	fmt.Println("some pages:", pages >= 0)
}
