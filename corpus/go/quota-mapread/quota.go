package quota

// Quota holds limits by tenant.
type Quota struct {
	limits map[string]int
}

// Set changes the limit of a tenant.
func (q *Quota) Set(tenant string, n int) {
	q.limits[tenant] = n //race:Quota.limits
}

// Limit returns the limit of a tenant.
func (q *Quota) Limit(tenant string) int {
	return q.limits[tenant] //race:Quota.limits
}
