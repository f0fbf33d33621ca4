package main

import (
	"context"
	"fmt"
	"time"
)

type slowResolver time.Duration

func (s slowResolver) Resolve(name string) (*answer, error) {
	time.Sleep(time.Duration(s))
	return &answer{addrs: []string{"192.0.2.7"}, ttl: time.Minute}, nil
}

func main() {
	c := &cachingResolver{
		upstream: slowResolver(3 * time.Millisecond),
		wait:     time.Millisecond,
		last:     map[string]*answer{"db": {addrs: []string{"192.0.2.1"}}},
	}
	a, err := c.lookup(context.Background(), "db")
	fmt.Println(a != nil, err)
	time.Sleep(5 * time.Millisecond)
}
