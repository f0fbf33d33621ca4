package tenants

import "time"

// fakeRepo is good enough for the tests of this package.
type fakeRepo struct {
	rows    map[string]Tenant
	latency time.Duration
}

func (f *fakeRepo) Put(t Tenant) { f.rows[t.ID] = t } //race:fakeRepo.rows[]

func (f *fakeRepo) Get(id string) (Tenant, bool) {
	time.Sleep(f.latency)
	t, ok := f.rows[id] //race:fakeRepo.rows[]
	return t, ok
}

var repo = &fakeRepo{rows: map[string]Tenant{}, latency: 300 * time.Microsecond}
