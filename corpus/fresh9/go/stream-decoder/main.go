package main

import (
	"fmt"
	"time"

	"example.com/audio/stream/player"
)

type pcm struct{}

func (pcm) Decode(packet []byte) (player.Frame, error) {
	time.Sleep(300 * time.Microsecond)
	var f player.Frame
	for i, b := range packet {
		f[i%4] += int16(b)
	}
	return f, nil
}

func source(n int) <-chan []byte {
	ch := make(chan []byte, n)
	for i := 0; i < n; i++ {
		ch <- []byte{byte(i), byte(i + 1), 7, 9}
	}
	return ch
}

func main() {
	p := player.New(pcm{})
	p.Play(source(100))
	p.Drain(5 * time.Millisecond)
	dropped := p.Reset()
	p.Drain(2 * time.Millisecond)
	fmt.Println("dropped some:", dropped > 0)
}
