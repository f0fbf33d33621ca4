package dns

import (
	"strings"
	"time"
)

// Upstream is asked when the cache does not know.
type Upstream func(zone string) []string

// Resolver answers queries; its zero value is not enough, it needs an upstream.
type Resolver struct {
	Ask   Upstream
	zones map[string][]string
}

// Resolve finds the servers for a name.
func (r *Resolver) Resolve(name string) []string {
	zone := name[strings.IndexByte(name, '.')+1:]
	r.prepare()
	if found, ok := r.lookup(zone); ok {
		return found
	}
	found := r.Ask(zone)
	r.remember(zone, found)
	return found
}

func (r *Resolver) prepare() {
	if r.zones == nil { //race:Resolver.zones
		time.Sleep(time.Millisecond)
		r.zones = make(map[string][]string) //race:Resolver.zones
	}
}

func (r *Resolver) lookup(zone string) ([]string, bool) {
	zones := r.zones         //race:Resolver.zones
	found, ok := zones[zone] //race:Resolver.zones[]
	return found, ok
}

func (r *Resolver) remember(zone string, servers []string) {
	zones := r.zones      //race:Resolver.zones
	zones[zone] = servers //race:Resolver.zones[]
}
