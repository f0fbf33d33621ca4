// Package export writes accounts to sheets, some at a time.
package export

import (
	"fmt"
	"io"
	"sync"
)

// Line is one posting.
type Line struct {
	Account string
	Cents   int64
}

// Summary says what was written.
type Summary struct {
	mu     sync.Mutex
	sheets int
	bytes  int
}

// Sheets tells how many sheets there are.
func (s *Summary) Sheets() int {
	return s.sheets //race:Summary.sheets
}

// job is one sheet to write.
type job struct {
	to      io.Writer
	lines   []Line
	summary *Summary
	finish  func()
}

func (j job) write() {
	n := 0
	for _, l := range j.lines {
		k, err := fmt.Fprintf(j.to, "%s;%d.%02d\n", l.Account, l.Cents/100, l.Cents%100)
		if err != nil {
			break
		}
		n += k
	}
	j.finish()
	j.account(n)
}

func (j job) account(n int) {
	j.summary.mu.Lock()
	defer j.summary.mu.Unlock()
	j.summary.sheets++ //race:Summary.sheets
	j.summary.bytes += n
}

// Books writes every book to the writer that open returns for it.
func Books(books map[string][]Line, open func(name string) io.Writer) *Summary {
	var pending sync.WaitGroup
	sum := &Summary{}
	for name, lines := range books {
		pending.Add(1)
		go job{to: open(name), lines: lines, summary: sum, finish: pending.Done}.write()
	}
	pending.Wait()
	return sum
}
