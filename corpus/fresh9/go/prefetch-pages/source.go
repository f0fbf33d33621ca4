package main

import (
	"fmt"
	"time"

	"example.com/db/cursor/cursor"
)

type table struct {
	rows, size int
	latency    time.Duration
}

func (t table) Load(number int, into *cursor.Page) {
	time.Sleep(t.latency)
	from := (number - 1) * t.size
	var rows []string
	for i := from; i < from+t.size && i < t.rows; i++ {
		rows = append(rows, fmt.Sprintf("row %d", i))
	}
	into.Rows = rows                  //race:Page.Rows
	into.Last = from+t.size >= t.rows //race:Page.Last
}
