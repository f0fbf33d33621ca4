package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// tool describes an external command with its fixed arguments.
type tool struct {
	path string
	base []string
}

func newTool(path string, flags map[string]string, order []string) *tool {
	t := &tool{path: path, base: make([]string, 0, 8)}
	for _, name := range order {
		t.base = append(t.base, "--"+name+"="+flags[name])
	}
	return t
}

// command returns the line that runs the tool on one target.
func (t *tool) command(target string) string {
	args := append(t.base, "--target="+target) //race:tool.base[]
	time.Sleep(time.Millisecond)
	return t.path + " " + strings.Join(args, " ") //race:tool.base[]
}

type outcome struct {
	target string
	line   string
}

func runAll(t *tool, targets []string) []outcome {
	out := make([]outcome, len(targets))
	var wg sync.WaitGroup
	for i, target := range targets {
		i, target := i, target
		wg.Add(1)
		go func() {
			defer wg.Done()
			out[i] = outcome{target: target, line: t.command(target)}
		}()
	}
	wg.Wait()
	return out
}

func main() {
	t := newTool("/usr/bin/protoc", map[string]string{"out": "gen", "opt": "paths"}, []string{"out", "opt"})
	for _, o := range runAll(t, []string{"api.proto", "store.proto"}) {
		fmt.Println(o.target, len(o.line) > 0)
	}
}
