package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/pluginhost/host"
)

func main() {
	events := make(chan string, 8)
	for _, e := range []string{"open", "save", "close"} {
		events <- e
	}
	p := host.Launch("spellcheck", events)
	time.Sleep(10 * time.Millisecond)
	fmt.Println(p.Name)
}
