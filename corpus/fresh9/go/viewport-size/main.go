package main

import (
	"fmt"
	"time"

	"example.com/tui/screen/screen"
	"example.com/tui/screen/term"
)

type app struct {
	scr   *screen.Screen
	title string
}

func (a *app) loop(frames int) int {
	lines := 0
	for i := 0; i < frames; i++ {
		lines += len(a.scr.Paint(a.title))
		time.Sleep(time.Millisecond)
	}
	return lines
}

func main() {
	a := &app{scr: screen.New(screen.Size{Rows: 24, Cols: 80}), title: "processes"}
	go term.Watch(a.scr, []screen.Size{{Rows: 40, Cols: 120}, {Rows: 10, Cols: 60}}, 3*time.Millisecond)
	fmt.Println(a.loop(12) > 0)
}
