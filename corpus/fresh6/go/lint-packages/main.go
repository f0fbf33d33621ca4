package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

type problem struct {
	pos  int
	text string
}

type analyzer struct {
	name string
	run  func(src string) []problem
}

func longLines(src string) []problem {
	var out []problem
	for i, l := range strings.Split(src, "\n") {
		if len(l) > 12 {
			out = append(out, problem{i + 1, "line is long"})
		}
	}
	return out
}

func tabs(src string) []problem {
	var out []problem
	for i, l := range strings.Split(src, "\n") {
		if strings.HasPrefix(l, " ") {
			out = append(out, problem{i + 1, "blanks instead of a tab"})
		}
	}
	return out
}

func analyze(src string, list []analyzer) []problem {
	var problems []problem
	var wg sync.WaitGroup
	for _, a := range list {
		wg.Go(func() {
			time.Sleep(500 * time.Microsecond)
			found := a.run(src)
			problems = append(problems, found...) //race:problems
		})
	}
	wg.Wait()
	slices.SortFunc(problems, func(a, b problem) int { return cmp.Compare(a.pos, b.pos) })
	return problems
}

func main() {
	src := "package demo\n  var x = 1\nvar veryLongName = 2\n  var y = 3"
	list := []analyzer{{"lll", longLines}, {"tabs", tabs}, {"lll2", longLines}}
	for _, p := range analyze(src, list) {
		if p.pos == 0 {
			fmt.Println(p.text)
		}
	}
	fmt.Println("linted")
}
