package main

import (
	"fmt"
	"time"

	"example.com/skirmish/players/avatar"
	"example.com/skirmish/players/broadcast"
)

func main() {
	hero := avatar.New("hero")
	b := broadcast.New(200 * time.Microsecond)
	b.Follow(hero)
	stop := b.Start()
	for i := 0; i < 30; i++ {
		hero.Move(avatar.Step{DX: 1, DY: float64(i % 2)})
		time.Sleep(60 * time.Microsecond)
	}
	stop()
	fmt.Println("frames were sent:", b.Frames() > 0)
}
