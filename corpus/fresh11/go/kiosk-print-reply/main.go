// Command printer prints tickets.
package main

import (
	"fmt"
	"time"
)

type ticket struct {
	text   string
	number int
}

type printer struct {
	jobs    chan *ticket
	printed chan string
	next    int
}

func (p *printer) run() {
	for t := range p.jobs {
		p.printed <- fmt.Sprintf("#%d %s", t.number, t.text) //race:ticket.number
	}
	close(p.printed)
}

func (p *printer) submit(text string) *ticket {
	t := &ticket{text: text}
	p.jobs <- t
	p.next++
	t.number = p.next //race:ticket.number
	return t
}

func main() {
	p := &printer{jobs: make(chan *ticket, 4), printed: make(chan string, 4)}
	go p.run()
	for _, text := range []string{"zone A, day", "zone B, day", "zone A, week"} {
		p.submit(text)
		time.Sleep(time.Millisecond)
	}
	close(p.jobs)
	n := 0
	for range p.printed {
		n++
	}
	fmt.Println(n, "tickets")
}
