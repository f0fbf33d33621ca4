package main

import (
	"fmt"
	"time"
)

func exists(w *wire) bool {
	rows := newRows(w)
	defer rows.Close()
	return rows.Any()
}

func main() {
	ok := exists(&wire{left: 60, delay: time.Millisecond})
	time.Sleep(6 * time.Millisecond)
	fmt.Println("exists", ok)
}
