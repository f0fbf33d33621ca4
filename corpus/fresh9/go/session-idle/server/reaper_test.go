package server

import (
	"net"
	"testing"
	"time"
)

func TestActiveSessionsStay(t *testing.T) {
	client, conn := net.Pipe()
	s := newSession("s-1", conn)
	r := &Reaper{Limit: time.Second}
	r.Add(s)
	go s.serve()

	go func() {
		buf := make([]byte, 4)
		for i := 0; i < 20; i++ {
			if _, err := client.Write([]byte("ping")); err != nil {
				return
			}
			if _, err := client.Read(buf); err != nil {
				return
			}
			time.Sleep(500 * time.Microsecond)
		}
	}()
	for i := 0; i < 10; i++ {
		time.Sleep(time.Millisecond)
		if n := r.Sweep(time.Now()); n != 0 {
			t.Fatalf("%d sessions reaped", n)
		}
	}
	client.Close()
}
