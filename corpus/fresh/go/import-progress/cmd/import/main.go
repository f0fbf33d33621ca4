// Command import loads files into a table and says how far it is.
package main

import (
	"fmt"
	"os"

	"github.com/deadheat-corpus/importer/load"
)

func main() {
	files := []string{"a.csv", "b.csv", "c.txt", "d.csv", "e.txt", "f.csv"}
	failed := load.Import(files, 2, os.Stdout)
	fmt.Printf("finished, about %d failed\n", failed)
}
