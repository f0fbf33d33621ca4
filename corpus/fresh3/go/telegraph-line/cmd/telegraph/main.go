package main

import (
	"io"
	"log"
	"time"

	"github.com/deadheat-corpus/telegraphline/wire"
)

func main() {
	key := wire.Connect(io.Discard, 5*time.Millisecond)
	defer key.Cut()
	err := wire.Transmit(key, wire.Telegram{To: "Wien", Text: "arrive friday"}, 4*time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
}
