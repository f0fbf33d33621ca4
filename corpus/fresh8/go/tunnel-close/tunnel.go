package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

type link struct {
	pings int64
}

func (l *link) ping() {
	atomic.AddInt64(&l.pings, 1)
}

// tunnel is a connection through a bastion host.
type tunnel struct {
	remote string
	conn   *link
	every  time.Duration
}

func dialTunnel(remote string, every time.Duration) *tunnel {
	t := &tunnel{remote: remote, conn: &link{}, every: every}
	go t.keepalive()
	return t
}

func (t *tunnel) keepalive() {
	for {
		conn := t.conn //race:tunnel.conn
		if conn == nil {
			return
		}
		conn.ping()
		time.Sleep(t.every)
	}
}

func (t *tunnel) Close() error {
	t.conn = nil //race:tunnel.conn
	return nil
}

type forwarder struct {
	tunnels []*tunnel
}

func (f *forwarder) closeAll() {
	for _, t := range f.tunnels {
		_ = t.Close()
	}
}

func main() {
	f := &forwarder{}
	for _, host := range []string{"bastion-1:22", "bastion-2:22"} {
		f.tunnels = append(f.tunnels, dialTunnel(host, 200*time.Microsecond))
	}
	time.Sleep(time.Millisecond)
	f.closeAll()
	time.Sleep(time.Millisecond)
	fmt.Println("closed", len(f.tunnels))
}
