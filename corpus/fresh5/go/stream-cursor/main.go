package main

import (
	"fmt"
	"io"
	"time"

	"github.com/deadheat-corpus/streamcursor/stream"
)

func main() {
	in, feed := io.Pipe()
	s := stream.Open(in, io.Discard)
	go func() {
		for i := 0; i < 10; i++ {
			_, _ = feed.Write([]byte{byte(i)})
			time.Sleep(time.Millisecond)
		}
		feed.Close()
	}()
	for i := 0; i < 4; i++ {
		time.Sleep(2 * time.Millisecond)
		if err := s.Ack(); err != nil {
			fmt.Println(err)
		}
	}
	time.Sleep(10 * time.Millisecond)
	fmt.Println("stream ends")
}
