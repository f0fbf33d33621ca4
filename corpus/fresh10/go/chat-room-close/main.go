package main

import (
	"fmt"
	"time"
)

func main() {
	r := open("lounge", 128)
	go guest(r, "ada")
	read := make(chan int)
	go func() { read <- r.transcript() }()
	time.Sleep(3 * time.Millisecond)
	r.shut()
	fmt.Println("messages were read:", <-read > 0)
}

func guest(r *room, name string) {
	for i := 0; ; i++ {
		if !r.say(name, fmt.Sprint("line ", i)) {
			return
		}
		time.Sleep(150 * time.Microsecond)
	}
}
