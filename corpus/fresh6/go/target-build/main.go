package main

import (
	"errors"
	"fmt"
	"time"
)

type target struct {
	name string
	deps []string
}

type result struct {
	name string
	err  error
}

type builder struct {
	root string
	done chan result
}

func (b *builder) compile(t *target) error {
	time.Sleep(400 * time.Microsecond)
	if t.name == "" {
		return errors.New("target without a name")
	}
	return nil
}

// level builds targets that do not depend on each other.
func (b *builder) level(targets []*target) error {
	for i := 0; i < len(targets); i++ { //race:i
		go func() {
			if i >= len(targets) { //race:i
				b.done <- result{name: "?"}
				return
			}
			t := targets[i] //race:i
			b.done <- result{name: t.name, err: b.compile(t)}
		}()
	}
	var first error
	for range targets {
		r := <-b.done
		if r.err != nil && first == nil {
			first = fmt.Errorf("%s: %w", r.name, r.err)
		}
	}
	return first
}

func main() {
	b := &builder{root: "/srv/build", done: make(chan result)}
	levels := [][]*target{
		{{name: "//lib:strings"}, {name: "//lib:io"}, {name: "//proto:api"}},
		{{name: "//cmd:server", deps: []string{"//lib:io", "//proto:api"}}},
	}
	for _, l := range levels {
		if err := b.level(l); err != nil {
			fmt.Println("build failed:", err)
			return
		}
	}
	fmt.Println("built")
}
