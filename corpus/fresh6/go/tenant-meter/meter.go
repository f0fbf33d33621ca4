package main

import "sync"

type usage struct {
	perKey map[string]int
}

// meter counts API calls per tenant and key.
type meter struct {
	mu      sync.RWMutex
	tenants map[string]*usage
}

func newMeter() *meter { return &meter{tenants: make(map[string]*usage)} }

func (m *meter) of(tenant string) *usage {
	m.mu.RLock()
	u, ok := m.tenants[tenant]
	m.mu.RUnlock()
	if ok {
		return u
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if u, ok = m.tenants[tenant]; !ok {
		u = &usage{perKey: make(map[string]int)}
		m.tenants[tenant] = u
	}
	return u
}

// Hit counts one call.
func (m *meter) Hit(tenant, key string) {
	u := m.of(tenant)
	u.perKey[key]++ //race:usage.perKey[]
}

func (m *meter) Keys(tenant string) int {
	return len(m.of(tenant).perKey)
}
