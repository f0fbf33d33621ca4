package main

import (
	"fmt"
	"io"
	"time"

	"example.com/web/accesslog/accesslog"
)

type slowDisk struct{ w io.Writer }

func (s slowDisk) Write(p []byte) (int, error) {
	time.Sleep(100 * time.Microsecond)
	return s.w.Write(p)
}

func main() {
	log := accesslog.New(slowDisk{io.Discard})
	for i := 0; i < 40; i++ {
		log.Request(fmt.Sprintf("/items/%d", i), func() int { return 200 + i%5 })
	}
	log.Close()
	fmt.Println("logged")
}
