// Command boot starts a proxy and checks that it answers.
package main

import (
	"errors"
	"fmt"
	"net"
	"time"
)

type proxy struct {
	ln    *net.TCPListener
	conns int
}

func (p *proxy) serve() error {
	p.ln.SetDeadline(time.Now().Add(2 * time.Millisecond))
	for {
		c, err := p.ln.Accept()
		if err != nil {
			return err
		}
		p.conns++
		c.Close()
	}
}

func boot(addr string) (*proxy, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	p := &proxy{ln: ln.(*net.TCPListener)}
	go func() {
		if err = p.serve(); !errors.Is(err, net.ErrClosed) { //race:err
			fmt.Println("serving:", err) //race:err
		}
	}()
	for try := 0; try < 3; try++ {
		var c net.Conn
		c, err = net.Dial("tcp", ln.Addr().String()) //race:err
		if err == nil {                              //race:err
			c.Close()
			break
		}
		time.Sleep(time.Millisecond)
	}
	return p, err //race:err
}

func main() {
	p, err := boot("127.0.0.1:0")
	if err != nil {
		fmt.Println("not up:", err)
		return
	}
	time.Sleep(5 * time.Millisecond)
	p.ln.Close()
}
