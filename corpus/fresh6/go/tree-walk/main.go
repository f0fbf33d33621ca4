package main

import (
	"fmt"
	"time"
)

func main() {
	root := &dir{name: "/", files: 1, subs: []*dir{
		{name: "etc", files: 3},
		{name: "srv", files: 2, subs: []*dir{{name: "www", files: 9}}},
	}}
	w := &walker{latency: 2 * time.Millisecond}
	fmt.Println("seen some:", w.Count(root) >= 0)
	time.Sleep(6 * time.Millisecond)
}
