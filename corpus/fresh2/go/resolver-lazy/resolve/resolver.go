package resolve

import "errors"

// ErrUnknown is returned for hosts that nobody knows.
var ErrUnknown = errors.New("resolve: unknown host")

type settings struct {
	system  System
	hosts   map[string]string
	servers []string
}

func (s *settings) table() map[string]string {
	if s.hosts == nil { //race:settings.hosts
		s.hosts = s.system.Hosts() //race:settings.hosts
	}
	return s.hosts //race:settings.hosts
}

func (s *settings) upstream() []string {
	if s.servers == nil { //race:settings.servers
		s.servers = s.system.Servers() //race:settings.servers
	}
	return s.servers //race:settings.servers
}

// Resolver looks in the table of the machine, then asks a server.
type Resolver struct {
	settings
	Ask func(server, host string) (string, error)
}

// New returns a resolver for a machine.
func New(system System) *Resolver {
	return &Resolver{settings: settings{system: system}}
}

// Lookup returns the address of a host.
func (r *Resolver) Lookup(host string) (string, error) {
	if address, ok := r.table()[host]; ok {
		return address, nil
	}
	for _, server := range r.upstream() {
		if address, err := r.Ask(server, host); err == nil {
			return address, nil
		}
	}
	return "", ErrUnknown
}
