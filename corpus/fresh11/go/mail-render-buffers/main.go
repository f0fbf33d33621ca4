// Command render writes letters from templates.
package main

import (
	"fmt"
	"strings"
	"time"
)

type pool struct {
	bufs chan []byte
}

func (p *pool) get() []byte {
	select {
	case b := <-p.bufs:
		return b[:0]
	default:
		return make([]byte, 0, 256)
	}
}

func (p *pool) put(b []byte) {
	select {
	case p.bufs <- b:
	default:
	}
}

func render(p *pool, name string, items int) []byte {
	buf := p.get()
	buf = append(buf, "Dear "...)                                  //race:buf[]
	buf = append(buf, name...)                                     //race:buf[]
	buf = append(buf, strings.Repeat(", one more item", items)...) //race:buf[]
	p.put(buf)
	return buf
}

func send(letters <-chan []byte, done chan<- int) {
	bytes := 0
	for l := range letters {
		time.Sleep(200 * time.Microsecond)
		for _, c := range l { //race:buf[]
			if c != ' ' {
				bytes++
			}
		}
	}
	done <- bytes
}

func main() {
	p := &pool{bufs: make(chan []byte, 2)}
	letters, done := make(chan []byte, 4), make(chan int)
	go send(letters, done)
	for i, name := range []string{"Ada", "Grace", "Barbara", "Frances", "Jean"} {
		letters <- render(p, name, i)
	}
	close(letters)
	fmt.Println(<-done > 0)
}
