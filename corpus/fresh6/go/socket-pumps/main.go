package main

import (
	"fmt"
	"time"
)

func main() {
	h := newHub(2)
	h.Serve()
	time.Sleep(6 * time.Millisecond)
	h.Shutdown()
	time.Sleep(2 * time.Millisecond)
	fmt.Println("hub down")
}
