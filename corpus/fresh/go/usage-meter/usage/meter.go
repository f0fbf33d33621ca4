// Package usage counts what tenants use.
package usage

import (
	"sync"
	"time"
)

type account struct {
	tenant string
	units  int64
	since  time.Time
}

// Meter counts for one tenant; it is small and handed around by value.
type Meter struct {
	mu      sync.Mutex
	account *account
	factor  int64
}

// NewMeter returns a meter that counts in units of factor.
func NewMeter(tenant string, factor int64) Meter {
	return Meter{account: &account{tenant: tenant, since: time.Now()}, factor: factor}
}

// Add counts.
func (m Meter) Add(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.account.units += n * m.factor //race:account.units
}

// Units is what was counted so far.
func (m Meter) Units() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.account.units //race:account.units
}
