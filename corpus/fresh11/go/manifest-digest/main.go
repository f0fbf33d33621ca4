// Command manifest describes an image of two layers.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

type layer struct {
	name string
	body string
}

func digest(l layer) (string, int) {
	sum := sha256.Sum256([]byte(l.body))
	return hex.EncodeToString(sum[:4]), len(l.body)
}

func describe(base, top layer) (size int, digests []string) {
	upper := make(chan string, 1)
	go func() {
		d, n := digest(top)
		size += n //race:size
		upper <- d
	}()
	d, n := digest(base)
	size += n //race:size
	digests = append(digests, d, <-upper)
	return
}

func main() {
	size, digests := describe(
		layer{"debian", strings.Repeat("/usr/lib ", 300)},
		layer{"app", strings.Repeat("/srv ", 20)},
	)
	fmt.Println(size > 0, len(digests))
}
