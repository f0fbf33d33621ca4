package main

import (
	"fmt"
	"time"
)

type resizer struct{ limit int }

func (r resizer) Handle(ev event) error {
	buf := make([]byte, r.limit)
	buf[ev.size] = 1
	return nil
}

func main() {
	h := newHost()
	h.register("resizer", resizer{limit: 16})
	h.start()
	for i := 0; i < 4; i++ {
		h.events["resizer"] <- event{kind: "image", size: 10 * (i + 1)}
		time.Sleep(time.Millisecond)
		h.statusPage()
	}
	fmt.Println("host ran", len(h.plugins), "plug-in")
}
