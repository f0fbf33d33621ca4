package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/kilnfiring/kiln"
)

func main() {
	k := kiln.New(1200)
	k.Fire(400, 900, 1300)
	time.Sleep(9 * time.Millisecond)
	state, _ := k.Look()
	fmt.Println(state, k.Unload())
}
