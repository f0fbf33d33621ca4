package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type warehouse struct{ loaded int64 }

func (w *warehouse) load(rows []row) {
	atomic.AddInt64(&w.loaded, int64(len(rows)))
}

func produce(table string, n int, to *batcher) {
	for i := 0; i < n; i++ {
		to.add(row{table, []any{i, table}})
	}
}

func main() {
	w := &warehouse{}
	b := newBatcher(16, w.load)
	var wg sync.WaitGroup
	for _, table := range []string{"orders", "items", "refunds"} {
		wg.Add(1)
		go func(t string) {
			defer wg.Done()
			produce(t, 50, b)
		}(table)
	}
	wg.Wait()
	b.close()
	fmt.Println("loaded", atomic.LoadInt64(&w.loaded))
}
