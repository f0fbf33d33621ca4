package resolver

import "time"

// Resolver asks two servers.
type Resolver struct {
	primary, secondary string
}

func (r *Resolver) ask(server string) string {
	return server + ":53"
}

// Resolve returns the first answer.
func (r *Resolver) Resolve() (addr string) {
	go func() {
		addr = r.ask(r.secondary) //race:addr
	}()
	time.Sleep(10 * time.Millisecond)
	return r.ask(r.primary) //race:addr
}
