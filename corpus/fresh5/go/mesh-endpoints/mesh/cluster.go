package mesh

import "time"

// Endpoint is where a service can be reached.
type Endpoint struct {
	Addr string
	Down bool
}

// Cluster is the endpoints of one service.
type Cluster struct {
	endpoints []*Endpoint
	picks     int
}

// NewCluster makes a cluster of healthy endpoints.
func NewCluster(addrs ...string) *Cluster {
	c := &Cluster{}
	for _, a := range addrs {
		c.endpoints = append(c.endpoints, &Endpoint{Addr: a})
	}
	return c
}

// Pick is the endpoint for the next request.
func (c *Cluster) Pick() *Endpoint {
	all := c.endpoints //race:Cluster.endpoints
	if len(all) == 0 {
		return nil
	}
	c.picks++
	return all[c.picks%len(all)] //race:Cluster.endpoints[]
}

func (c *Cluster) evict(down func(addr string) bool) {
	kept := c.endpoints[:0]         //race:Cluster.endpoints
	for _, e := range c.endpoints { //race:Cluster.endpoints
		if !down(e.Addr) {
			kept = append(kept, e) //race:Cluster.endpoints[]
		}
	}
	c.endpoints = kept //race:Cluster.endpoints
}

// Watch checks the endpoints a number of times.
func (c *Cluster) Watch(times int, down func(addr string) bool) {
	for i := 0; i < times; i++ {
		time.Sleep(2 * time.Millisecond)
		c.evict(down)
	}
}
