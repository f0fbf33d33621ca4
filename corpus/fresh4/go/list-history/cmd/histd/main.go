package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/listhistory/history"
)

func user(h *history.History, keys string) {
	for i, key := range keys {
		time.Sleep(3 * time.Millisecond)
		if key == '<' {
			h.Undo()
			continue
		}
		h.Type(history.Edit{At: i, Text: string(key)})
	}
	time.Sleep(30 * time.Millisecond)
}

func main() {
	h := history.New()
	go user(h, "ab<c<")
	time.Sleep(24 * time.Millisecond)
	undo, redo := h.Depth()
	fmt.Println(undo+redo < 100)
}
