// Hubd has many clients subscribe.
package main

import (
	"sync"

	"github.com/deadheat-corpus/topichub/hub"
)

type client struct {
	id  int
	hub *hub.Hub
}

func (c *client) serve(done *sync.WaitGroup) {
	defer done.Done()
	for n := 0; n < 200000; n++ {
		c.hub.Subscribe(c.id, n%97)
		if n%3 == 0 {
			c.hub.Leave(c.id, n%97)
		}
	}
}

func main() {
	h := hub.New()
	var done sync.WaitGroup
	for id := 0; id < 4; id++ {
		done.Add(1)
		go (&client{id, h}).serve(&done)
	}
	done.Wait()
}
