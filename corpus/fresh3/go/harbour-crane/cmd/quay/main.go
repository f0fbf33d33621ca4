package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/harbourcrane/crane"
)

func shift(hours time.Duration) int {
	c := crane.Start(&crane.Hoist{Name: "north"}, &crane.Plan{}, 3*time.Millisecond)
	time.Sleep(hours)
	c.Shutdown()
	time.Sleep(hours)
	return c.Moved()
}

func main() {
	fmt.Println(shift(8*time.Millisecond), "moved")
}
