package main

import (
	"fmt"
	"sync/atomic"

	"example.com/dns/publish/runner"
)

type record struct {
	name, kind, value string
	ttl               int
}

type zone struct {
	origin  string
	records []record
}

var pushed int64

func push(server, origin string, r record) {
	atomic.AddInt64(&pushed, int64(len(server)+len(origin)+len(r.name)+r.ttl))
}

func publish(z zone, servers []string) {
	pool := runner.NewPool(3)
	for _, r := range z.records { //race:r
		for _, s := range servers {
			s := s
			pool.Submit(func() {
				push(s, z.origin, r) //race:r
			})
		}
	}
	pool.Wait()
}

func main() {
	z := zone{origin: "example.com."}
	for i := 0; i < 8; i++ {
		z.records = append(z.records, record{fmt.Sprintf("h%d", i), "A", "192.0.2.1", 300})
	}
	publish(z, []string{"ns1", "ns2"})
	fmt.Println(atomic.LoadInt64(&pushed) > 0)
}
