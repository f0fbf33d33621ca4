package usage

import (
	"sync"
)

type record struct {
	calls int64
	bytes int64
}

// Collector adds up what tenants use.
type Collector struct {
	tenants sync.Map // tenant to *record
}

func (c *Collector) of(tenant string) *record {
	r, _ := c.tenants.LoadOrStore(tenant, &record{})
	return r.(*record)
}

// Count counts one call.
func (c *Collector) Count(tenant string, size int64) {
	r := c.of(tenant)
	r.calls++       //race:record.calls
	r.bytes += size //race:record.bytes
}

// Line is one line of the bill.
type Line struct {
	Tenant       string
	Calls, Bytes int64
}

// Bill lists all tenants.
func (c *Collector) Bill() []Line {
	var bill []Line
	c.tenants.Range(func(key, value any) bool {
		r := value.(*record)
		line := Line{Tenant: key.(string)}
		line.Calls = r.calls //race:record.calls
		line.Bytes = r.bytes //race:record.bytes
		bill = append(bill, line)
		return true
	})
	return bill
}
