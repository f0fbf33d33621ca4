// Scaler says how many replicas are wanted.
package main

import (
	"time"

	"github.com/deadheat-corpus/autoscaledecide/probe"
	"github.com/deadheat-corpus/autoscaledecide/scale"
)

func main() {
	p := probe.New(5*time.Millisecond, map[string]float64{"a": 0.9, "b": 0.95, "c": 0.2})
	d := scale.Policy{High: 0.7, Least: 1}.Decide(p)
	println(d.Want > 0, len(d.Reason) > 0)
}
