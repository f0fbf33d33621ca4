package relay

// Answer is what a client gets.
type Answer struct {
	Value string
	Known bool
}

// Lookup resolves a name.
func (r *Relay) Lookup(name string) Answer {
	value, ok := r.forward.find(name) //race:Relay.forward[]
	return Answer{value, ok}
}

// Pointer resolves an address.
func (r *Relay) Pointer(addr string) Answer {
	value, ok := r.reverse.find(addr) //race:Relay.reverse[]
	return Answer{value, ok}
}
