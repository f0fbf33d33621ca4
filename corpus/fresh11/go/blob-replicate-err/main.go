// Command replica puts a blob into every region.
package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

type region struct {
	name string
	down bool
}

func (r region) copy(key string) (int, error) {
	time.Sleep(time.Millisecond)
	if r.down {
		return 0, errors.New(r.name + " is down")
	}
	return len(key), nil
}

type bucket struct {
	local   region
	remotes []region
}

func (b *bucket) put(key string) error {
	written, err := b.local.copy(key)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for _, r := range b.remotes {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var n int
			if n, err = r.copy(key); err == nil && n != written { //race:err
				err = errors.New("short copy in " + r.name) //race:err
			}
		}()
	}
	wg.Wait()
	return err
}

func main() {
	b := &bucket{
		local:   region{name: "fra"},
		remotes: []region{{"ams", false}, {"sin", true}, {"iad", false}},
	}
	fmt.Println(b.put("invoices/2024/03.pdf") != nil || true)
}
