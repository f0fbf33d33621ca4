package main

import (
	"fmt"
	"time"
)

type object struct {
	name       string
	generation int64
	replicas   int
}

type handler interface {
	OnUpdate(o object)
}

type informer struct {
	handlers []handler
}

func (i *informer) run(objects <-chan object) {
	for o := range objects {
		for _, h := range i.handlers {
			h.OnUpdate(o)
		}
	}
}

type result struct {
	requeue bool
	after   time.Duration
}

// deployments brings objects to the wanted number of replicas.
type deployments struct {
	newest  object
	applied int64
	wake    chan struct{}
}

func (d *deployments) OnUpdate(o object) {
	d.newest = o //race:deployments.newest
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

func (d *deployments) reconcile() result {
	want := d.newest //race:deployments.newest
	if want.generation == d.applied {
		return result{}
	}
	time.Sleep(2 * time.Millisecond)
	d.applied = want.generation
	return result{requeue: want.replicas > 2, after: time.Millisecond}
}

func (d *deployments) loop(times int) {
	for i := 0; i < times; i++ {
		<-d.wake
		for r := d.reconcile(); r.requeue; r = d.reconcile() {
			time.Sleep(r.after)
		}
	}
}

func main() {
	d := &deployments{wake: make(chan struct{}, 1)}
	inf := &informer{handlers: []handler{d}}
	objects := make(chan object)
	go inf.run(objects)
	done := make(chan struct{})
	go func() { d.loop(3); close(done) }()
	for g := int64(1); g <= 6; g++ {
		objects <- object{name: "web", generation: g, replicas: 1}
		time.Sleep(1500 * time.Microsecond)
	}
	<-done
	fmt.Println("reconciled")
}
