package dispatch

import "reflect"

// Accounts is a service.
type Accounts struct {
	opened int
}

// Open opens n accounts.
func (a *Accounts) Open(n int) int {
	a.opened += n //race:Accounts.opened
	return n
}

// Call runs a method of a service by its name.
func Call(service any, method string, n int) int {
	m := reflect.ValueOf(service).MethodByName(method)
	return int(m.Call([]reflect.Value{reflect.ValueOf(n)})[0].Int())
}
