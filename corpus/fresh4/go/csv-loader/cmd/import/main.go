package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/csvloader/importer"
)

func file(row func(text string)) {
	for _, text := range []string{"a;1", "b;22", "c;333", "d;4444"} {
		time.Sleep(5 * time.Millisecond)
		row(text)
	}
	time.Sleep(8 * time.Millisecond)
}

func main() {
	last := 0
	n := importer.Import(file, func(rows, bytes int) { last = rows + bytes }, 7*time.Millisecond)
	fmt.Println(n, last >= 0)
}
