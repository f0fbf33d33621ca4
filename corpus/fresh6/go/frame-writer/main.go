package main

import "fmt"

func main() {
	c := newWireConn()
	for i := uint32(1); i <= 12; i++ {
		c.Send(i, fmt.Sprintf("request %d with a body", i))
	}
	c.Close()
	n := 0
	for range c.sums {
		n++
	}
	fmt.Println("frames", n)
}
