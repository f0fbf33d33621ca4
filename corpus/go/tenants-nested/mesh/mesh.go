// Package mesh joins services.
package mesh

import "github.com/deadheat-corpus/tenants/registry"

// Mesh joins the services of a registry.
type Mesh struct {
	registry *registry.Registry
}

// New returns a mesh.
func New() *Mesh {
	return &Mesh{registry.New()}
}

// Join adds a service.
func (m *Mesh) Join(tenant, service string) {
	m.admit(tenant, service, 8080)
}

func (m *Mesh) admit(tenant, service string, port int) {
	m.registry.Register(tenant, service, port)
}

// Dial finds a service.
func (m *Mesh) Dial(tenant, service string) int {
	return m.resolve(tenant, service)
}

func (m *Mesh) resolve(tenant, service string) int {
	return m.registry.Port(tenant, service)
}
