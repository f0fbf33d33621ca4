package main

import (
	"io"
	"net"
	"sync"
)

// traffic counts what a listener moved.
type traffic struct {
	chunks int64
	bytes  int64
}

func (t *traffic) add(n int) {
	t.chunks++          //race:traffic.chunks
	t.bytes += int64(n) //race:traffic.bytes
}

type tunnel struct {
	client  net.Conn
	origin  net.Conn
	traffic *traffic
}

func (t *tunnel) copy(dst io.Writer, src io.Reader) error {
	buf := make([]byte, 512)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			t.traffic.add(n)
			if _, werr := dst.Write(buf[:n]); werr != nil {
				return werr
			}
		}
		if err != nil {
			return err
		}
	}
}

func (t *tunnel) run() {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		_ = t.copy(t.origin, t.client)
		t.origin.Close()
	}()
	go func() {
		defer wg.Done()
		_ = t.copy(t.client, t.origin)
		t.client.Close()
	}()
	wg.Wait()
}
