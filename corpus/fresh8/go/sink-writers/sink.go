package main

import (
	"fmt"
	"sync"
)

type journal struct {
	lines int
	bytes int
}

func (j *journal) write(line string) {
	j.lines++            //race:journal.lines
	j.bytes += len(line) //race:journal.bytes
}

// sink writes lines with a prefix.
type sink struct {
	mu      sync.Mutex
	prefix  string
	journal *journal
}

func (s *sink) emit(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal.write(s.prefix + line)
}

type worker struct {
	id  int
	out sink
}

func (w *worker) run(lines []string) {
	for _, line := range lines {
		w.out.emit(line)
	}
}

func start(base *sink, n int) *sync.WaitGroup {
	var wg sync.WaitGroup
	for i := 0; i < n; i++ {
		w := &worker{id: i, out: *base}
		w.out.prefix = fmt.Sprintf("[%d] ", i)
		wg.Add(1)
		go func() {
			defer wg.Done()
			w.run([]string{"start", "work", "stop"})
		}()
	}
	return &wg
}

func main() {
	base := &sink{journal: &journal{}}
	start(base, 3).Wait()
	fmt.Println("lines", base.journal.lines > 0)
}
