package main

import (
	"fmt"
	"time"
)

func fromDisk() loader {
	serial := 0
	return func() (*certificate, error) {
		serial++
		return &certificate{serial: serial, notAfter: time.Now().Add(time.Hour)}, nil //race:certificate.notAfter
	}
}

type listener struct {
	pair *keyPair
}

func (l *listener) handshake(name string, served chan<- int) {
	n := 0
	for i := 0; i < 5; i++ {
		if c, err := l.pair.GetCertificate(name); err == nil && c.notAfter.After(time.Now()) { //race:certificate.notAfter
			n++
		}
		time.Sleep(time.Millisecond)
	}
	served <- n
}

func main() {
	pair, err := openKeyPair(fromDisk())
	if err != nil {
		panic(err)
	}
	changed := make(chan struct{})
	go pair.watch(changed)

	l := &listener{pair: pair}
	served := make(chan int)
	go l.handshake("api.test", served)
	for i := 0; i < 3; i++ {
		time.Sleep(time.Millisecond)
		changed <- struct{}{}
	}
	close(changed)
	fmt.Println("handshakes", <-served)
}
