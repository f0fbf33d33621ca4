package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/vmballoon/vm"
)

func main() {
	m := vm.Boot(512)
	time.Sleep(6 * time.Millisecond)
	m.Shutdown()
	time.Sleep(10 * time.Millisecond)
	fmt.Println("off")
}
