package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/diffapply/patch"
)

func main() {
	const ms = time.Millisecond
	_, err := patch.Apply([]patch.Patch{
		{"a.txt", false, 2 * ms}, {"b.txt", true, 6 * ms}, {"c.txt", false, 10 * ms}, {"d.txt", true, 14 * ms},
	})
	fmt.Println(err)
}
