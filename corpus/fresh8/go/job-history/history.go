package main

import (
	"fmt"
	"time"
)

type outcome struct {
	job   string
	took  time.Duration
	state string
}

// history remembers how jobs went.
type history struct {
	limit int
	items []outcome
}

func (h *history) record(o outcome) {
	if len(h.items) == h.limit {
		h.items = append(h.items[:0], h.items[1:]...) //race:history.items
	}
	h.items = append(h.items, o) //race:history.items
}

func (h *history) latest(n int) []string {
	start := len(h.items) - n //race:history.items
	if start < 0 {
		start = 0
	}
	var out []string
	for _, o := range h.items[start:] { //race:history.items
		out = append(out, o.job+" "+o.state)
	}
	return out
}

type worker struct {
	history *history
	ended   chan struct{}
}

func (w *worker) run(jobs []string) {
	defer close(w.ended)
	for i, job := range jobs {
		time.Sleep(200 * time.Microsecond)
		w.history.record(outcome{job, time.Duration(i), "ok"})
	}
}

func main() {
	h := &history{limit: 4}
	w := &worker{h, make(chan struct{})}
	go w.run([]string{"vacuum", "analyze", "backup", "rotate", "report", "prune"})
	shown := 0
	for i := 0; i < 5; i++ {
		time.Sleep(250 * time.Microsecond)
		shown += len(h.latest(2))
	}
	<-w.ended
	fmt.Println("shown", shown >= 0)
}
