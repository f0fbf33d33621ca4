package main

import (
	"bytes"
	"fmt"
	"time"
)

type entry struct {
	actor  string
	action string
	object string
}

// auditLog gathers lines until the shipper takes them.
type auditLog struct {
	buf   bytes.Buffer
	clock func() time.Time
}

func newAuditLog() *auditLog {
	return &auditLog{clock: time.Now}
}

func (a *auditLog) Write(e entry) {
	line := fmt.Sprintf("%d %s %s %s\n", a.clock().Unix(), e.actor, e.action, e.object)
	a.buf.WriteString(line) //race:auditLog.buf
}

func (a *auditLog) drain(max int) []byte {
	part := a.buf.Next(max)             //race:auditLog.buf
	return append([]byte(nil), part...) //race:auditLog.buf
}

type shipper struct {
	log  *auditLog
	sink func([]byte) error
}

// flush is called by the scheduler of the process.
func (s *shipper) flush() {
	b := s.log.drain(4096)
	if len(b) == 0 {
		return
	}
	if err := s.sink(b); err != nil {
		fmt.Println("ship:", err)
	}
}
