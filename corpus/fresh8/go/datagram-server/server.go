package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// packetConn is the part of net.PacketConn that the server needs.
type packetConn interface {
	read(p []byte) (int, error)
}

type replay struct {
	packets [][]byte
}

func (r *replay) read(p []byte) (int, error) {
	if len(r.packets) == 0 {
		return 0, io.EOF
	}
	next := r.packets[0]
	r.packets = r.packets[1:]
	for i := range next {
		p[i] = next[i] //race:buf[]
	}
	return len(next), nil
}

type server struct {
	conn  packetConn
	wg    sync.WaitGroup
	mu    sync.Mutex
	bytes int
}

func (s *server) serve() {
	buf := make([]byte, 512)
	for {
		n, err := s.conn.read(buf)
		if err != nil {
			break
		}
		s.wg.Add(1)
		go s.handle(buf[:n])
		time.Sleep(200 * time.Microsecond)
	}
	s.wg.Wait()
}

func (s *server) handle(msg []byte) {
	defer s.wg.Done()
	sum := 0
	for i := range msg {
		sum += int(msg[i]) //race:buf[]
	}
	s.mu.Lock()
	s.bytes += sum
	s.mu.Unlock()
}

func main() {
	conn := &replay{}
	for i := 0; i < 12; i++ {
		conn.packets = append(conn.packets, []byte(fmt.Sprintf("statsd.counter.%d:1|c", i)))
	}
	s := &server{conn: conn}
	s.serve()
	fmt.Println("sum", s.bytes > 0)
}
