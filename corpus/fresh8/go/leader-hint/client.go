package main

import (
	"errors"
	"fmt"
	"sync"
)

type notLeader struct {
	hint string
}

func (n notLeader) Error() string { return "not the leader, try " + n.hint }

type transport func(addr, key string) (string, error)

// client talks to whichever member leads.
type client struct {
	members []string
	leader  string
	send    transport
}

func (c *client) target() string {
	addr := c.leader //race:client.leader
	if addr == "" {
		return c.members[0]
	}
	return addr
}

func (c *client) follow(hint string) {
	c.leader = hint //race:client.leader
}

func (c *client) get(key string) (string, error) {
	for attempt := 0; attempt < 3; attempt++ {
		value, err := c.send(c.target(), key)
		var moved notLeader
		if errors.As(err, &moved) {
			c.follow(moved.hint)
			continue
		}
		return value, err
	}
	return "", errors.New("no leader")
}

func cluster(leader string) transport {
	return func(addr, key string) (string, error) {
		if addr != leader {
			return "", notLeader{leader}
		}
		return "value of " + key, nil
	}
}

func main() {
	c := &client{members: []string{"n1:2379", "n2:2379", "n3:2379"}, send: cluster("n3:2379")}
	var wg sync.WaitGroup
	for _, key := range []string{"a", "b", "c", "d"} {
		wg.Add(1)
		go func(key string) {
			defer wg.Done()
			if _, err := c.get(key); err != nil {
				panic(err)
			}
		}(key)
	}
	wg.Wait()
	fmt.Println("done")
}
