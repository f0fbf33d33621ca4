package desk

import (
	"sync"
	"testing"
	"time"
)

func TestTwoClerks(t *testing.T) {
	d := Open(2, 4, Audit)
	var wg sync.WaitGroup
	for _, guest := range []string{"Weber", "Rossi"} {
		wg.Add(1)
		go func(guest string) {
			defer wg.Done()
			for at := 0; at < 4; at++ {
				if d.Book(at, guest) {
					break
				}
			}
			time.Sleep(6 * time.Millisecond)
		}(guest)
	}
	wg.Wait()
}
