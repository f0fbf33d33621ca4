package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/shelfstock/warehouse"
)

func main() {
	w := warehouse.New("A", "B")
	go func() {
		for i := 0; i < 6; i++ {
			w.Restock("A", 10)
			time.Sleep(time.Millisecond)
		}
	}()
	s := w.Shelf("A")
	picked := 0
	for i := 0; i < 6; i++ {
		time.Sleep(time.Millisecond)
		picked += s.Pick(2)
	}
	time.Sleep(10 * time.Millisecond)
	fmt.Println("picked", picked)
}
