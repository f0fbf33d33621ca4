package main

import (
	"fmt"

	"example.com/granary/scan/part"
)

func main() {
	var parts []part.Partition
	for i := 0; i < 6; i++ {
		parts = append(parts, part.Make(i, 40))
	}
	found := part.Scan(parts, func(row int64) bool { return row%9 == 0 })
	fmt.Println("scan ended:", found >= 0)
}
