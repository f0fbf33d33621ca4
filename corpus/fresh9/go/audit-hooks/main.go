package main

import (
	"fmt"
	"time"

	"go.example.dev/audit/audit"
	"go.example.dev/audit/plugins"
)

func main() {
	trail := audit.NewTrail()
	ready := make(chan string, 1)
	hooks := []*plugins.Counter{plugins.New("syslog"), plugins.New("s3"), plugins.New("siem")}
	go plugins.Load(trail, hooks, ready)

	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			trail.Record("svc-deploy", "apply")
		case who := <-ready:
			fmt.Println(who, "are up")
			return
		}
	}
}
