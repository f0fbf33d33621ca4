package main

import (
	"fmt"
	"time"
)

func main() {
	disk := &volume{delay: 2 * time.Millisecond}
	w := newWriter(disk, 3*time.Millisecond)
	for i := 0; i < 4; i++ {
		w.Edit(fmt.Sprintf("paragraph %d", i))
	}
	time.Sleep(4 * time.Millisecond) // the user thinks
	w.Discard()
	time.Sleep(10 * time.Millisecond)
	fmt.Println("closed after", disk.count(), "saves")
}
