package main

import (
	"fmt"
	"sync"
	"time"
)

type endpoint struct {
	url    string
	secret string
}

type delivery struct {
	url    string
	status int
}

type poster func(url, signature string, body []byte) int

func sign(secret string, body []byte) string {
	return fmt.Sprintf("%s:%d", secret, len(body))
}

type dispatcher struct {
	endpoints []*endpoint
	post      poster
	results   []delivery
}

func (d *dispatcher) deliver(body []byte) {
	var wg sync.WaitGroup
	d.results = make([]delivery, len(d.endpoints))
	for i := 0; i < len(d.endpoints); i++ { //race:i
		wg.Add(1)
		go func() {
			defer wg.Done()
			n := i //race:i
			if n >= len(d.endpoints) {
				n = len(d.endpoints) - 1
			}
			d.attempt(d.endpoints[n], body)
		}()
	}
	wg.Wait()
}

func (d *dispatcher) attempt(e *endpoint, body []byte) int {
	status := 0
	for try := 0; try < 2 && status != 200; try++ {
		status = d.post(e.url, sign(e.secret, body), body)
	}
	return status
}

func main() {
	d := &dispatcher{
		endpoints: []*endpoint{{"https://a.example/hook", "s1"}, {"https://b.example/hook", "s2"}},
		post: func(url, signature string, body []byte) int {
			time.Sleep(time.Millisecond)
			return 200
		},
	}
	d.deliver([]byte(`{"event":"paid"}`))
	fmt.Println("deliveries:", len(d.results))
}
