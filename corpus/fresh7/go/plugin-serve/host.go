package main

import (
	"fmt"
	"time"
)

type request struct {
	method string
	reply  chan string
}

type handlerFunc func(method string) string

type logFunc func(format string, args ...interface{})

// host answers the calls of a plugin.
type host struct {
	requests chan request
	handler  handlerFunc
	logf     logFunc
}

func startHost(requests chan request, h handlerFunc, logf logFunc) *host {
	ho := &host{requests: requests}
	go ho.serve()
	ho.handler = h //race:host.handler
	ho.logf = logf //race:host.logf
	return ho
}

func (h *host) serve() {
	for r := range h.requests {
		r.reply <- h.answer(r.method)
	}
}

func (h *host) answer(method string) string {
	if h.logf != nil { //race:host.logf
		h.logf("call %s", method) //race:host.logf
	}
	if h.handler == nil { //race:host.handler
		return "unavailable"
	}
	return h.handler(method) //race:host.handler
}

func (h *host) call(method string) string {
	r := request{method: method, reply: make(chan string, 1)}
	h.requests <- r
	return <-r.reply
}

func main() {
	requests := make(chan request, 4)
	requests <- request{method: "handshake", reply: make(chan string, 1)}
	h := startHost(requests, func(m string) string { return m + " ok" }, func(string, ...interface{}) {})
	h.call("version")
	time.Sleep(2 * time.Millisecond)
	fmt.Println("hosted")
}
