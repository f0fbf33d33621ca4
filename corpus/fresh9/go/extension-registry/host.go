package main

import (
	"fmt"
	"sync"
	"time"

	"example.com/editor/ext/registry"
)

type extension struct {
	name     string
	commands []string
	startup  time.Duration
}

func (e extension) activate() error {
	time.Sleep(e.startup)
	for _, c := range e.commands {
		err := registry.Register(registry.Command{
			ID:    e.name + "." + c,
			Title: c,
			Run:   func() error { return nil },
		})
		if err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

type host struct {
	exts []extension
}

func (h host) activateAll() {
	var wg sync.WaitGroup
	for _, e := range h.exts {
		wg.Add(1)
		go func(e extension) {
			defer wg.Done()
			if err := e.activate(); err != nil {
				fmt.Println("activate:", err)
			}
		}(e)
	}
	wg.Wait()
}

func main() {
	h := host{[]extension{
		{"git", []string{"commit", "push", "pull"}, time.Millisecond},
		{"go", []string{"build", "test"}, time.Millisecond},
	}}
	h.activateAll()
	_, ok := registry.Lookup("git.push")
	fmt.Println(ok)
}
