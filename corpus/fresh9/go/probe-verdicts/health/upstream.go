package health

// Upstream is a backend with its health.
type Upstream struct {
	Addr     string
	up       bool
	failures int
}

func (u *Upstream) observe(err error) {
	if err != nil {
		u.failures++ //race:Upstream.failures
		if u.failures >= 2 {
			u.up = false //race:Upstream.up
		}
		return
	}
	u.failures = 0 //race:Upstream.failures
	u.up = true    //race:Upstream.up
}

// Healthy says whether requests may be sent there.
func (u *Upstream) Healthy() bool {
	return u.up //race:Upstream.up
}

// Score orders upstreams; less is better.
func (u *Upstream) Score() int {
	return u.failures * 10 //race:Upstream.failures
}
