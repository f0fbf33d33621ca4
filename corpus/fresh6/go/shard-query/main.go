package main

import (
	"fmt"
	"time"
)

func main() {
	m := &merger{shards: []*shard{
		{1, []int{4, 5, 6}}, {2, []int{10}}, {3, []int{7, 7}},
	}}
	total := 0
	for i := 0; i < 3; i++ {
		total += m.run().sum
		time.Sleep(time.Millisecond)
	}
	fmt.Println("sum", total)
}
