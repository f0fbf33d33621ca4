package main

import (
	"fmt"
	"sync"
	"time"
)

type connection struct {
	id  int
	dir *directory
}

func (c *connection) session(nicks []string) {
	for _, n := range nicks {
		u := &user{id: c.id, nick: n, room: "lobby"}
		if err := c.dir.join(u); err != nil {
			fmt.Println(err)
			continue
		}
		time.Sleep(300 * time.Microsecond)
		c.dir.leave(u.id)
	}
}

func main() {
	d := newDirectory()
	var wg sync.WaitGroup
	for id, nicks := range [][]string{{"ada", "bob"}, {"cyd", "dee"}} {
		wg.Add(1)
		go func(id int, nicks []string) {
			defer wg.Done()
			(&connection{id: id, dir: d}).session(nicks)
		}(id, nicks)
	}
	wg.Wait()
	fmt.Println("left", len(d.byID))
}
