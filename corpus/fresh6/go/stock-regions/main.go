package main

import (
	"fmt"
	"sync"
)

func main() {
	lyon := &warehouse{code: "LYS", onHand: 40}
	ghent := &warehouse{code: "GNE", onHand: 10}
	regions := []*region{
		{name: "south", near: []*warehouse{lyon}},
		{name: "north", near: []*warehouse{ghent, lyon}},
	}
	var wg sync.WaitGroup
	for _, r := range regions {
		wg.Add(1)
		go func(r *region) {
			defer wg.Done()
			for i := 0; i < 5; i++ {
				if _, err := r.place(3); err != nil {
					fmt.Println(r.name, err)
				}
			}
		}(r)
	}
	wg.Wait()
	fmt.Println("placed")
}
