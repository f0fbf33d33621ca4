package main

import (
	"fmt"
	"time"
)

func main() {
	ms := time.Millisecond
	c := &coordinator{quorum: 3, replicas: []*replica{
		{addr: "r1", lag: ms}, {addr: "r2", lag: ms}, {addr: "r3", lag: ms},
		{addr: "r4", lag: ms, down: true}, {addr: "r5", lag: ms, down: true},
	}}
	for i := 0; i < 3; i++ {
		if _, err := c.Write(fmt.Sprintf("k%d", i), []byte("v")); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("written")
}
