// Command codec counts the frames that a C decoder hands over.
package main

/*
void decode(int n);
*/
import "C"

import (
	"fmt"
	"sync"
	"time"
)

var frames int

//export onFrame
func onFrame(n C.int) {
	time.Sleep(10 * time.Millisecond)
	frames += int(n) //race:frames
}

func decodeAll(wg *sync.WaitGroup, n int) {
	defer wg.Done()
	C.decode(C.int(n))
}

func main() {
	var wg sync.WaitGroup
	wg.Add(2)
	go decodeAll(&wg, 1)
	go decodeAll(&wg, 2)
	wg.Wait()
	fmt.Println("frames", frames)
}
