package main

import (
	"errors"
	"sync"
)

var errOverQuota = errors.New("over quota")

// quota limits what the tenants of a cluster may store.
type quota struct {
	mu    sync.Mutex
	limit int64
	usage map[string]int64
}

func (q *quota) charge(tenant string, n int64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.usage[tenant]+n > q.limit { //race:quota.usage
		return errOverQuota
	}
	q.usage[tenant] += n //race:quota.usage
	return nil
}

// handle is the quota as one tenant sees it.
type handle struct {
	tenant string
	quota  quota
}

func handleFor(q *quota, tenant string) *handle {
	return &handle{tenant: tenant, quota: *q}
}

func (h *handle) write(sizes ...int64) (stored int) {
	for _, n := range sizes {
		if h.quota.charge(h.tenant, n) == nil {
			stored++
		}
	}
	return stored
}
