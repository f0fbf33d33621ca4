package main

import (
	"fmt"
)

func main() {
	g := grid{step: 0.25}
	stats, err := g.resolveAll([]string{"Lisbon", "Porto", "Faro", "Braga", "Evora"})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println("resolved:", stats.resolved)
}
