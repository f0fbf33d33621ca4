package main

import (
	"fmt"
	"sync"
	"time"
)

type dnsDiscovery struct{ suffix string }

func (d dnsDiscovery) Resolve(region string) (endpoint, error) {
	time.Sleep(300 * time.Microsecond)
	return endpoint{host: region + d.suffix, tls: true}, nil
}

func main() {
	c := NewClient(dnsDiscovery{".api.test"})
	c.Override("local", endpoint{host: "localhost:8080"})
	var wg sync.WaitGroup
	for _, region := range []string{"eu-1", "us-2", "local"} {
		wg.Add(1)
		go func(region string) {
			defer wg.Done()
			for _, op := range []string{"List", "Get"} {
				if _, err := c.Call(region, op); err != nil {
					fmt.Println(err)
				}
			}
		}(region)
	}
	wg.Wait()
	fmt.Println("called")
}
