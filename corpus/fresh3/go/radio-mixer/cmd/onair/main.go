package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/radiomixer/mixer"
)

func main() {
	desk := mixer.NewDesk("microphone", "turntable")
	over := make(chan struct{})
	go func() {
		defer close(over)
		desk.Run(0, [][]int16{{100, 32700}, {200, 10}, {-32600, 4}, {0, 0}, {1, 2}})
	}()
	time.Sleep(3 * time.Millisecond)
	desk.Cue(0, "telephone")
	<-over
	fmt.Println(desk.Clips(0), "clips")
}
