// Command day plays one day at the bank.
package main

import (
	"fmt"
	"os"
	"sync"

	"github.com/deadheat-corpus/branches/bank"
)

func main() {
	if err := day("north", "south"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func day(names ...string) error {
	b := bank.New(names...)
	var wg sync.WaitGroup
	for _, name := range names {
		branch, err := b.Branch(name)
		if err != nil {
			return err
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			branch.Till(100, 250, 375)
		}()
	}
	wg.Wait()
	return nil
}
