package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/mailfanout/fan"
)

type slowly time.Duration

func (s slowly) Deliver(place int, rcpt string) {
	time.Sleep(time.Duration(s))
}

func main() {
	fan.Fan([]string{"ann", "ben", "cem"}, slowly(20*time.Millisecond), 4*time.Millisecond)
	fmt.Println("sent")
}
