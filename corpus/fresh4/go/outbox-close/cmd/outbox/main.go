package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/outboxclose/outbox"
)

func main() {
	box := outbox.Open()
	for _, letter := range []string{"a", "b", "c", "d", "e", "f"} {
		box.Post(letter)
	}
	time.Sleep(10 * time.Millisecond)
	box.Close()
	time.Sleep(15 * time.Millisecond)
	fmt.Println("closed")
}
