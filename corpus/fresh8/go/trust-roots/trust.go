package main

import (
	"fmt"
	"sync"
	"time"
)

type rootPool struct {
	subjects []string
}

func loadRoots(dir string) *rootPool {
	time.Sleep(200 * time.Microsecond)
	return &rootPool{subjects: []string{dir + "/isrg-x1", dir + "/isrg-x2"}}
}

// verifier checks the chains of servers.
type verifier struct {
	dir   string
	roots *rootPool
}

func (v *verifier) pool() *rootPool {
	if v.roots == nil { //race:verifier.roots
		v.roots = loadRoots(v.dir) //race:verifier.roots
	}
	return v.roots //race:verifier.roots
}

func (v *verifier) verify(issuer string) bool {
	for _, s := range v.pool().subjects {
		if s == v.dir+"/"+issuer {
			return true
		}
	}
	return false
}

type client struct {
	verifier *verifier
}

func (c *client) handshake(host string) error {
	if !c.verifier.verify("isrg-x1") {
		return fmt.Errorf("%s: unknown authority", host)
	}
	return nil
}

func main() {
	c := &client{verifier: &verifier{dir: "/etc/ssl"}}
	var wg sync.WaitGroup
	for _, host := range []string{"a.example", "b.example", "c.example"} {
		wg.Add(1)
		go func(host string) {
			defer wg.Done()
			if err := c.handshake(host); err != nil {
				panic(err)
			}
		}(host)
	}
	wg.Wait()
	fmt.Println("verified")
}
