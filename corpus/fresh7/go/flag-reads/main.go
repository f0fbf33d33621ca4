package main

import (
	"fmt"
	"sync"
)

func requests(f *FlagSet, users []string, on chan<- bool) {
	for _, u := range users {
		on <- f.Enabled("new-checkout", u)
	}
}

func main() {
	f := NewFlagSet()
	f.Set("new-checkout", rule{percent: 50, users: map[string]bool{"ada": true}})
	on := make(chan bool, 16)
	var wg sync.WaitGroup
	for _, users := range [][]string{{"ada", "ben"}, {"cleo", "dora"}} {
		wg.Add(1)
		go func(users []string) {
			defer wg.Done()
			requests(f, users, on)
		}(users)
	}
	wg.Wait()
	fmt.Println("evaluated", len(on))
}
