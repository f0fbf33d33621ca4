package main

import (
	"fmt"
	"sync"
	"time"
)

type ciRun struct {
	id    int
	owner string
}

// board lists the runs that wait for a runner.
type board struct {
	runs []*ciRun
}

// claim gives a free run to a runner.
func (b *board) claim(runner string) *ciRun {
	for _, r := range b.runs {
		if r.owner == "" { //race:ciRun.owner
			r.owner = runner //race:ciRun.owner
			return r
		}
	}
	return nil
}

type runner struct {
	name  string
	board *board
	done  int
}

func (r *runner) work() {
	for {
		run := r.board.claim(r.name)
		if run == nil {
			return
		}
		time.Sleep(100 * time.Microsecond)
		r.done++
	}
}

func main() {
	b := &board{}
	for i := 0; i < 8; i++ {
		b.runs = append(b.runs, &ciRun{id: i})
	}
	var wg sync.WaitGroup
	for _, name := range []string{"linux-1", "linux-2", "mac-1"} {
		wg.Add(1)
		go func(name string) {
			defer wg.Done()
			(&runner{name: name, board: b}).work()
		}(name)
	}
	wg.Wait()
	fmt.Println("runs", len(b.runs))
}
