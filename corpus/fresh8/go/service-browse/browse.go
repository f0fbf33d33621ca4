package main

import (
	"context"
	"fmt"
	"time"
)

type service struct {
	name string
	host string
	port int
}

type iface struct {
	name    string
	answers []service
	pace    time.Duration
}

// browser collects answers of a network interface.
type browser struct {
	iface iface
	found []service
}

func (b *browser) listen() {
	for _, a := range b.iface.answers {
		time.Sleep(b.iface.pace)
		b.found = append(b.found, a) //race:browser.found
	}
}

// browse asks for services until the context ends.
func (b *browser) browse(ctx context.Context) []service {
	done := make(chan struct{})
	go func() {
		b.listen()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return b.found //race:browser.found
}

func main() {
	b := &browser{iface: iface{"eth0", []service{
		{"printer", "p.local", 631}, {"nas", "n.local", 445}, {"tv", "t.local", 8009},
	}, time.Millisecond}}
	ctx, cancel := context.WithTimeout(context.Background(), 1500*time.Microsecond)
	defer cancel()
	n := len(b.browse(ctx))
	time.Sleep(4 * time.Millisecond)
	fmt.Println("found", n >= 0)
}
