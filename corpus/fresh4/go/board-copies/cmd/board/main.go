package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/boardcopies/board"
)

func rival(b *board.Board) {
	for i := 0; i < 3; i++ {
		time.Sleep(5 * time.Millisecond)
		b.Play(i, 'x')
	}
	time.Sleep(20 * time.Millisecond)
}

func main() {
	home := board.Blank("home", 9)
	go rival(home.Fork("away"))
	time.Sleep(12 * time.Millisecond)
	fmt.Println(home.Stones() < 9)
}
