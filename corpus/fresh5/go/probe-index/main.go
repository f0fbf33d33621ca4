package main

import (
	"fmt"
	"time"
)

type target struct {
	url  string
	code int
}

type monitor struct {
	targets []target
	codes   chan int
}

func (m *monitor) probeAll(fetch func(url string) int) {
	for i := 0; i < len(m.targets); i++ { //race:probeAll.i
		go func() {
			at := i //race:probeAll.i
			if at >= len(m.targets) {
				return
			}
			m.codes <- fetch(m.targets[at].url)
		}()
		time.Sleep(500 * time.Microsecond)
	}
}

func main() {
	m := &monitor{codes: make(chan int, 8), targets: []target{
		{url: "https://shop.example/health"},
		{url: "https://api.example/health"},
		{url: "https://cdn.example/health"},
		{url: "https://auth.example/health"},
	}}
	m.probeAll(func(string) int { time.Sleep(time.Millisecond); return 200 })
	time.Sleep(6 * time.Millisecond)
	fmt.Println("answers", len(m.codes) > 0)
}
