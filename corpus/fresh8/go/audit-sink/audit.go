package main

import (
	"fmt"
	"time"
)

type record struct {
	actor, verb string
}

// auditLog writes records in the background.
type auditLog struct {
	records chan record
	written chan int
}

func openAudit() *auditLog {
	a := &auditLog{records: make(chan record, 32), written: make(chan int, 1)}
	go a.drain()
	return a
}

func (a *auditLog) drain() {
	n := 0
	for range a.records {
		n++
	}
	a.written <- n
}

func (a *auditLog) note(actor, verb string) {
	a.records <- record{actor, verb} //race:auditLog.records
}

func (a *auditLog) shutdown() int {
	close(a.records) //race:auditLog.records
	return <-a.written
}

type api struct {
	audit *auditLog
}

func (s *api) handle(user string, verbs []string) {
	for _, verb := range verbs {
		s.audit.note(user, verb)
		time.Sleep(50 * time.Microsecond)
	}
}

func main() {
	s := &api{audit: openAudit()}
	go s.handle("ada", []string{"login", "read", "write"})
	go s.handle("bob", []string{"login", "delete"})
	time.Sleep(5 * time.Millisecond)
	fmt.Println("written", s.audit.shutdown())
}
