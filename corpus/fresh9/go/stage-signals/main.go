package main

import (
	"fmt"
	"strings"
	"time"
)

func main() {
	extract := newStage("extract")
	go extract.run(strings.Split(strings.Repeat("row,", 20)+"row", ","))
	q := extract.quality()
	fmt.Println("load begins, quality", q > 0)
	time.Sleep(10 * time.Millisecond)
}
