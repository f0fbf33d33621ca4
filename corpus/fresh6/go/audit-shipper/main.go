package main

import (
	"fmt"
	"time"
)

type api struct {
	audit *auditLog
}

func (a *api) deleteUser(actor, id string) {
	time.Sleep(300 * time.Microsecond)
	a.audit.Write(entry{actor, "user.delete", id})
}

func main() {
	log := newAuditLog()
	shipped := 0
	sh := &shipper{log: log, sink: func(b []byte) error { shipped += len(b); return nil }}
	a := &api{audit: log}
	go func() {
		for i := 0; i < 3; i++ {
			a.deleteUser("root", fmt.Sprintf("u-%d", i))
		}
	}()
	time.Sleep(4 * time.Millisecond)
	sh.flush()
	fmt.Println("shipped some:", shipped > 0)
}
