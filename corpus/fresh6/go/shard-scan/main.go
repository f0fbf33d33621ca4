package main

import (
	"fmt"
)

func main() {
	shards := []*shard{{id: 1, keys: 30}, {id: 2, keys: 12}, {id: 3, keys: 7}}
	sc := &scanner{shards: shards}
	res := sc.Scan("user:")
	fmt.Println("rows", res.summary())
}
