package main

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"sync"
)

var errNoSeed = errors.New("no seed answers")

// seeds are the nodes that a client tries first.
type seeds struct {
	addrs []string
}

func (s *seeds) shuffle() {
	rand.Shuffle(len(s.addrs), func(i, j int) {
		s.addrs[i], s.addrs[j] = s.addrs[j], s.addrs[i] //race:seeds.addrs[]
	})
}

func (s *seeds) dial(alive string) (string, error) {
	s.shuffle()
	for _, addr := range s.addrs { //race:seeds.addrs[]
		if strings.HasPrefix(addr, alive) {
			return addr, nil
		}
	}
	return "", errNoSeed
}

type client struct {
	seeds *seeds
	conns int
}

func (c *client) connect(n int) {
	var wg sync.WaitGroup
	wg.Add(n)
	for i := 0; i < n; i++ {
		go func() {
			defer wg.Done()
			_, _ = c.seeds.dial("db-2")
		}()
	}
	wg.Wait()
	c.conns = n
}

func main() {
	c := &client{seeds: &seeds{addrs: []string{"db-1:9042", "db-2:9042", "db-3:9042", "db-4:9042"}}}
	c.connect(4)
	fmt.Println("connected", c.conns)
}
