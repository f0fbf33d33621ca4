// Compactor merges what came in during the day.
package main

import (
	"errors"
	"os"
	"time"

	"github.com/deadheat-corpus/compactreport/compact"
)

func main() {
	var r compact.Report
	merge := func(file string) int64 {
		time.Sleep(4 * time.Millisecond)
		return int64(len(file))
	}
	err := compact.Compact([]string{"a", "bb", "ccc"}, merge, 10*time.Millisecond, &r)
	if errors.Is(err, compact.ErrLate) {
		println("merged", r.Files() > 0, r.Bytes() > 0)
	}
	time.Sleep(8 * time.Millisecond)
	os.Exit(0)
}
