package rollout

import "time"

// Reporter hears of every step.
type Reporter interface {
	Log(args ...interface{})
}

// Rollout brings a version to all hosts.
type Rollout struct {
	Version string
	To      Reporter
	Pause   time.Duration
}

// Begin starts to roll out.
func (r Rollout) Begin(hosts ...string) {
	go func() {
		for _, h := range hosts {
			time.Sleep(r.Pause)
			r.step(h)
		}
	}()
}

func (r Rollout) step(host string) {
	line := host + " has " + r.Version
	r.To.Log(line) //race:testing.T
}
