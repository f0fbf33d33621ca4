package main

import (
	"errors"
	"fmt"
	"time"
)

type hook struct {
	name string
	call func(payload string)
}

// hookRunner calls the hooks of a repository after a push.
type hookRunner struct {
	hooks []hook
	fault string
}

func (r *hookRunner) fire(h hook, payload string, done chan<- string) {
	defer func() { done <- h.name }()
	defer r.rescue(h)
	h.call(payload)
}

func (r *hookRunner) rescue(h hook) {
	if cause := recover(); cause != nil {
		r.fault = fmt.Sprintf("hook %s: %v", h.name, cause) //race:hookRunner.fault
		time.Sleep(time.Millisecond)
	}
}

func (r *hookRunner) status() string {
	text := r.fault //race:hookRunner.fault
	if text == "" {
		return "ok"
	}
	return text
}

func (r *hookRunner) push(payload string) <-chan string {
	done := make(chan string, len(r.hooks))
	for _, h := range r.hooks {
		go r.fire(h, payload, done)
	}
	return done
}

func main() {
	r := &hookRunner{hooks: []hook{
		{"mirror", func(string) {}},
		{"deploy", func(p string) { panic(errors.New("no such branch " + p)) }},
	}}
	done := r.push("refs/heads/old")
	time.Sleep(500 * time.Microsecond)
	text := r.status()
	<-done
	<-done
	fmt.Println("status has", len(text) > 0)
}
