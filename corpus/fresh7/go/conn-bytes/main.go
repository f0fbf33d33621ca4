package main

import (
	"fmt"
	"net"
	"sync"
)

func converse(c net.Conn, words string) {
	go func() { _, _ = c.Write([]byte(words)) }()
	buf := make([]byte, 64)
	_, _ = c.Read(buf)
}

func main() {
	near, client := net.Pipe()
	far, origin := net.Pipe()
	t := &tunnel{client: client, origin: origin, traffic: &traffic{}}
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); converse(near, "GET / HTTP/1.1\r\n\r\n") }()
	go func() { defer wg.Done(); converse(far, "HTTP/1.1 204 No Content\r\n\r\n") }()
	done := make(chan struct{})
	go func() { t.run(); close(done) }()
	wg.Wait()
	near.Close()
	far.Close()
	<-done
	fmt.Println("tunnel closed")
}
