package main

import (
	"fmt"
	"time"

	"example.com/resolve/first/resolve"
)

func main() {
	r := &resolve.Resolver{
		Servers: []string{"192.0.2.53", "198.51.100.53"},
		Timeout: 3 * time.Millisecond,
		Exchange: func(server, name string) (string, error) {
			if server == "192.0.2.53" {
				time.Sleep(6 * time.Millisecond)
			}
			return "203.0.113.7", nil
		},
	}
	addr, err := r.Lookup("www.example.com")
	fmt.Println(addr, err)
	time.Sleep(10 * time.Millisecond)
}
