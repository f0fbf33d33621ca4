package main

import (
	"fmt"
	"time"
)

func main() {
	d := &deployer{hooks: []hook{
		{"chat", func(release) error { time.Sleep(600 * time.Microsecond); return nil }},
		{"tracker", func(release) error { time.Sleep(500 * time.Microsecond); return errHook }},
	}}
	placed, err := d.deploy(release{"web", "v41", []string{"n1", "n2", "n3", "n4"}})
	time.Sleep(2 * time.Millisecond)
	fmt.Println(len(placed) > 0, err != nil)
}
