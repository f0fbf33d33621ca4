// Command push rolls firmware out to devices.
package main

import (
	"fmt"
	"sync"
)

type device struct {
	serial  string
	current string
}

type outcome struct {
	serial  string
	skipped bool
}

func rollout(fleet []device, version string) []outcome {
	results := make(chan outcome, len(fleet))
	var wg sync.WaitGroup
	for _, dev := range fleet { //race:dev
		wg.Add(1)
		go func() {
			defer wg.Done()
			results <- outcome{dev.serial, dev.current == version} //race:dev
		}()
	}
	wg.Wait()
	close(results)
	var out []outcome
	for r := range results {
		out = append(out, r)
	}
	return out
}

func main() {
	fleet := []device{{"A1", "1.0"}, {"A2", "1.1"}, {"B7", "1.1"}, {"C3", "0.9"}}
	fmt.Println(len(rollout(fleet, "1.1")), "devices")
}
