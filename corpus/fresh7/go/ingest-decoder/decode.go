package main

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"
)

// record is one decoded line.
type record struct {
	Offset int
	Key    string
	Value  int64
}

type block struct {
	offset int
	lines  []string
}

var errMalformed = errors.New("malformed line")

func parseLine(at int, line string) (record, error) {
	k, v, ok := strings.Cut(line, "=")
	if !ok {
		return record{}, errMalformed
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return record{}, err
	}
	return record{Offset: at, Key: k, Value: n}, nil
}

// decodeAll decodes blocks with a bounded number of workers. Malformed lines
// are counted and skipped.
func decodeAll(blocks []block, workers int) ([]record, error) {
	var (
		wg      sync.WaitGroup
		records []record
		bad     = make(chan int, len(blocks))
		feed    = make(chan block, len(blocks))
	)
	for _, b := range blocks {
		feed <- b
	}
	close(feed)
	for i := 0; i < workers; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for b := range feed {
				skipped := 0
				for i, line := range b.lines {
					rec, err := parseLine(b.offset+i, line)
					if err != nil {
						skipped++
						continue
					}
					records = append(records, rec) //race:records
				}
				bad <- skipped
				time.Sleep(2 * time.Millisecond)
			}
		}()
	}
	wg.Wait()
	close(bad)
	total := 0
	for n := range bad {
		total += n
	}
	if total > 0 {
		return records, errMalformed
	}
	return records, nil
}
