// Package load reads files.
package load

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

var errFormat = errors.New("load: not a table")

func loadFile(name string) error {
	time.Sleep(5 * time.Millisecond)
	if !strings.HasSuffix(name, ".csv") {
		return errFormat
	}
	return nil
}

// Import loads all files with so many workers and prints its progress.
func Import(files []string, workers int, out io.Writer) int {
	queue := make(chan string, len(files))
	for _, name := range files {
		queue <- name
	}
	close(queue)
	done, failed := 0, 0
	exited := make(chan struct{}, workers)
	for i := 0; i < workers; i++ {
		go func() {
			defer func() { exited <- struct{}{} }()
			for name := range queue {
				if loadFile(name) != nil {
					failed++ //race:Import.failed
					continue
				}
				done++ //race:Import.done
			}
		}()
	}
	for left := workers; left > 0; {
		select {
		case <-exited:
			left--
		default:
			time.Sleep(7 * time.Millisecond)
			finished := done //race:Import.done
			broken := failed //race:Import.failed
			fmt.Fprintf(out, "%d of %d, %d broken\n", finished, len(files), broken)
		}
	}
	return failed
}
