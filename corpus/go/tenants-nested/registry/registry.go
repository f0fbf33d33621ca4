// Package registry knows the services of tenants.
package registry

// Registry holds services by tenant.
type Registry struct {
	tenants map[string]map[string]int
}

// New returns a registry with one tenant.
func New() *Registry {
	return &Registry{map[string]map[string]int{"shared": {"api": 80}}}
}

// Register adds a tenant and a shared service.
func (r *Registry) Register(tenant, service string, port int) {
	r.tenants[tenant] = map[string]int{} //race:Registry.tenants
	shared := r.tenants["shared"]
	shared[service] = port //race:Registry.tenants[]
}

// Port finds a shared service for a tenant.
func (r *Registry) Port(tenant, service string) int {
	if _, ok := r.tenants[tenant]; !ok { //race:Registry.tenants
		return 0
	}
	shared, ok := r.tenants["shared"] //race:Registry.tenants
	if !ok {
		return 0
	}
	port, ok := shared[service] //race:Registry.tenants[]
	if !ok {
		return 0
	}
	return port
}
