package rotate

import (
	"fmt"
	"io"
	"sync"
	"testing"
	"time"
)

func openMemory(int) (io.WriteCloser, error) {
	return &Memory{}, nil
}

func TestTwoComponentsLog(t *testing.T) {
	w := New(64, openMemory)
	var wg sync.WaitGroup
	for _, name := range []string{"api", "worker"} {
		wg.Add(1)
		go func(name string) {
			defer wg.Done()
			for i := 0; i < 6; i++ {
				fmt.Fprintf(w, "%s: request %d took a while\n", name, i)
				time.Sleep(time.Millisecond)
			}
		}(name)
	}
	wg.Wait()
}
