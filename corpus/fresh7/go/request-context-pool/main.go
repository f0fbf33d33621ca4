package main

import (
	"fmt"
	"time"
)

func main() {
	audit := &auditLog{lines: make(chan string, 16)}
	r := newRouter(1)
	r.handler["/pay"] = func(c *Ctx) {
		c.Status = 202
		go audit.record(c)
	}
	for _, p := range []string{"/pay", "/health", "/pay", "/health"} {
		r.serve(p)
		time.Sleep(400 * time.Microsecond)
	}
	time.Sleep(4 * time.Millisecond)
	fmt.Println("audited", len(audit.lines))
}
