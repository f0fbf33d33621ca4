package main

import (
	"fmt"
	"sync"
	"time"
)

type ingester struct {
	wave sync.WaitGroup
	acks chan int
}

func (in *ingester) launch(files int) {
	for i := 0; i < files; i++ {
		in.wave.Add(1) //race:ingester.wave
		go in.file(i)
	}
}

func (in *ingester) file(i int) {
	defer in.wave.Done()
	time.Sleep(time.Duration(3+i) * time.Millisecond)
}

func (in *ingester) acknowledge(wave int) {
	in.wave.Wait() //race:ingester.wave
	in.acks <- wave
}

func main() {
	in := &ingester{acks: make(chan int, 4)}
	for wave := 0; wave < 2; wave++ {
		in.launch(2)
		go in.acknowledge(wave)
		time.Sleep(12 * time.Millisecond)
	}
	fmt.Println("acknowledged", len(in.acks))
}
