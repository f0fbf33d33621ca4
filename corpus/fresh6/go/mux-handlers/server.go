package main

import (
	"fmt"
	"time"
)

type command struct {
	verb  string
	reply chan string
}

type handler func(args string) string

type server struct {
	name     string
	inbox    chan command
	handlers map[string]handler
}

func newServer(name string, inbox chan command) *server {
	s := &server{name: name, inbox: inbox, handlers: make(map[string]handler)}
	go s.accept()
	return s
}

func (s *server) handle(verb string, h handler) {
	s.handlers[verb] = h //race:server.handlers[]
}

func (s *server) accept() {
	for c := range s.inbox {
		h, ok := s.handlers[c.verb] //race:server.handlers[]
		if !ok {
			c.reply <- "ERR unknown command"
			continue
		}
		c.reply <- h("")
	}
}

func ask(inbox chan<- command, verb string) string {
	reply := make(chan string, 1)
	inbox <- command{verb: verb, reply: reply}
	select {
	case r := <-reply:
		return r
	case <-time.After(time.Second):
		return fmt.Sprintf("ERR %s timed out", verb)
	}
}
