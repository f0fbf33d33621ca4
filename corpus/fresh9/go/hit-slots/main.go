package main

import (
	"fmt"
	"io"
	"strings"

	"example.com/ads/frequency/sketch"
)

func makeLog(first, n int) io.Reader {
	var sb strings.Builder
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&sb, "c%04d impression\n", i)
	}
	return strings.NewReader(sb.String())
}

func main() {
	s := sketch.New(64)
	ingest([]io.Reader{makeLog(0, 300), makeLog(1000, 300), makeLog(2000, 300)}, s)
	fmt.Println("estimated:", s.Estimate("c0001") > 0)
}
