// Package scale decides how many replicas there should be.
package scale

import (
	"math"
	"time"

	"github.com/deadheat-corpus/autoscaledecide/probe"
)

// Policy says when to grow.
type Policy struct {
	High  float64
	Least int
}

// Decision is the outcome.
type Decision struct {
	Want   int
	Reason string
}

// Decide asks all replicas once.
func (p Policy) Decide(replicas *probe.Prober) Decision {
	want := p.Least
	reason := "idle"
	pending := replicas.Each(func(r probe.Reading) {
		if r.Load < p.High {
			return
		}
		want += int(math.Ceil(r.Load / p.High)) //race:Decide.want
		time.Sleep(time.Millisecond)
		reason = r.Replica + " is busy" //race:Decide.reason
	})
	pending()
	return Decision{want, reason}
}
