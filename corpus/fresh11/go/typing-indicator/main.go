// Command typing shows who is typing.
package main

import (
	"fmt"
	"time"
)

type typist struct {
	name  string
	shown bool
	hide  *time.Timer
	sent  int
}

// Key is called for every keystroke.
func (t *typist) Key() {
	t.shown = true //race:typist.shown
	t.hide = time.AfterFunc(2*time.Millisecond, func() {
		t.shown = false //race:typist.shown
	})
}

// Send is called when the message is sent.
func (t *typist) Send() {
	t.hide.Stop()
	t.shown = false //race:typist.shown
	t.sent++
}

func main() {
	t := &typist{name: "ada"}
	for i := 0; i < 4; i++ {
		t.Key()
		time.Sleep(2 * time.Millisecond)
		t.Send()
		time.Sleep(time.Millisecond)
	}
	fmt.Println(t.name, "sent", t.sent)
}
