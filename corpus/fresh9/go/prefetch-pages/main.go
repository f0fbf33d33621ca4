package main

import (
	"fmt"
	"time"

	"example.com/db/cursor/cursor"
)

func main() {
	c := cursor.New(table{rows: 10, size: 4, latency: 5 * time.Millisecond})
	seen := 0
	for i := 0; i < 3; i++ {
		p := c.Fetch()
		seen += len(p.Rows) //race:Page.Rows
		if p.Last {         //race:Page.Last
			break
		}
	}
	time.Sleep(10 * time.Millisecond)
	fmt.Println("rows:", seen)
}
