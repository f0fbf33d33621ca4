// Package relay answers queries from two tables.
package relay

import "time"

type table map[string]string

func (t table) learn(key, value string) {
	t[key] = value
}

func (t table) find(key string) (string, bool) {
	value, ok := t[key]
	return value, ok
}

// Relay knows names by address and addresses by name.
type Relay struct {
	forward table
	reverse table
	pause   time.Duration
}

// New returns a relay with empty tables.
func New(pause time.Duration) *Relay {
	return &Relay{forward: table{}, reverse: table{}, pause: pause}
}

// Refresh takes in a list of names and addresses.
func (r *Relay) Refresh(pairs [][2]string) {
	for _, pair := range pairs {
		r.forward.learn(pair[0], pair[1]) //race:Relay.forward[]
		r.reverse.learn(pair[1], pair[0]) //race:Relay.reverse[]
		time.Sleep(r.pause)
	}
}
