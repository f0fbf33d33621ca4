package main

import (
	"fmt"
	"sync"

	"example.com/parking/bays/bays"
)

type ticket struct {
	plate string
	bay   int
}

type gate struct {
	name   string
	issued []ticket
}

func (g *gate) admit(l *bays.Level, plates ...string) {
	for _, p := range plates {
		if bay, ok := l.Assign(p); ok {
			g.issued = append(g.issued, ticket{p, bay})
		}
	}
}

func main() {
	level := bays.NewLevel(6)
	north, south := &gate{name: "north"}, &gate{name: "south"}
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		north.admit(level, "B-AA 1", "B-AA 2", "B-AA 3")
	}()
	go func() {
		defer wg.Done()
		south.admit(level, "M-ZZ 1", "M-ZZ 2")
	}()
	wg.Wait()
	fmt.Println(len(north.issued)+len(south.issued), "tickets")
}
