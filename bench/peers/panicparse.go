// Reads the reports of a file one after the other with panicparse's library, and says how long that took.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/maruel/panicparse/v2/stack"
)

const bar = "==================\n"

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	opts := stack.DefaultOpts()
	if os.Args[2] == "as-printed" {
		opts.GuessPaths, opts.AnalyzeSources, opts.NameArguments = false, false, false
	}
	begin := time.Now()
	reports := 0
	for len(text) > 0 {
		one := text
		// what one call reads ahead is lost to the next, so each is given one report
		if end := bytes.Index(text, []byte(bar+bar)); end >= 0 {
			one = text[:end+len(bar)]
		}
		text = text[len(one):]
		if found, _, _ := stack.ScanSnapshot(bytes.NewReader(one), io.Discard, opts); found != nil {
			reports++
		}
	}
	fmt.Println(reports, time.Since(begin).Seconds())
}
