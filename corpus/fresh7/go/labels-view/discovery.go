package main

import (
	"fmt"
	"strconv"
	"time"
)

type update struct {
	target int
	name   string
	value  string
}

func apply(targets []*target, updates <-chan update) {
	for u := range updates {
		targets[u.target].SetLabel(u.name, u.value)
	}
}

func exposition(targets []*target) []string {
	lines := make([]string, 0, len(targets))
	for _, t := range targets {
		lines = append(lines, "up"+render(t)+" 1")
	}
	return lines
}

func main() {
	targets := []*target{newTarget("10.1.0.1:9100"), newTarget("10.1.0.2:9100")}
	updates := make(chan update)
	go apply(targets, updates)
	go func() {
		for i := 0; i < 6; i++ {
			updates <- update{target: i % 2, name: "zone", value: strconv.Itoa(i)}
			time.Sleep(time.Millisecond)
		}
	}()
	n := 0
	for i := 0; i < 3; i++ {
		time.Sleep(2 * time.Millisecond)
		n += len(exposition(targets))
	}
	fmt.Println("lines:", n)
}
