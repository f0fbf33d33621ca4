package main

import "time"

// auditor notes calls without holding them up.
type auditor struct {
	lines chan string
}

func (a *auditor) wrap(next handler) handler {
	return func(r *request) string {
		reply := next(r)
		go a.note(r, reply)
		return reply
	}
}

func (a *auditor) note(r *request, reply string) {
	stamp := time.Now().Format(time.TimeOnly)
	a.lines <- stamp + " " + r.method + " " + reply //race:request.method
}
