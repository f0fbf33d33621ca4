package main

import (
	"fmt"
	"time"

	"example.com/controllers/election/election"
)

type controller struct {
	name    string
	leading bool
	writes  int
}

func (c *controller) started(term int) {
	c.leading = true //race:controller.leading
	fmt.Println(c.name, "leads in term", term)
}

func (c *controller) stopped() {
	c.leading = false //race:controller.leading
}

func (c *controller) reconcile(key string) bool {
	if !c.leading { //race:controller.leading
		return false
	}
	c.writes += len(key)
	return true
}

func (c *controller) loop(keys []string, rounds int) {
	for i := 0; i < rounds; i++ {
		c.reconcile(keys[i%len(keys)])
		time.Sleep(700 * time.Microsecond)
	}
}

func main() {
	c := &controller{name: "replicaset-controller"}
	e := election.New(4*time.Millisecond, election.Callbacks{
		OnStarted: c.started,
		OnStopped: c.stopped,
	})
	go e.Run(3)
	c.loop([]string{"default/web", "default/api"}, 25)
	fmt.Println("wrote", c.writes > 0)
}
