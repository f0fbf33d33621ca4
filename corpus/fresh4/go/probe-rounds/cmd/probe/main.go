package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/proberounds/probe"
)

func main() {
	var s probe.Sweep
	s.Start([]string{"alpha", "beta", "gamma"})
	time.Sleep(3 * time.Millisecond)
	fmt.Println(s.Alive() <= 3)
}
