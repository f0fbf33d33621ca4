package main

import (
	"fmt"
	"time"
)

func main() {
	ed := &editor{doc: &document{title: "draft"}, save: newSaver(500 * time.Microsecond)}
	for _, word := range []string{"It", "was", "a", "dark", "and", "stormy", "night"} {
		ed.typed(word)
		time.Sleep(400 * time.Microsecond)
	}
	ed.save.wait()
	fmt.Println("saved:", ed.save.times > 0)
}
