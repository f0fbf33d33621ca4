package main

import (
	"fmt"
	"sync"
	"time"
)

type upstream struct {
	addr string
	port int
}

type routes struct {
	sync.Mutex
	table map[string]upstream
}

func (r *routes) set(host string, u upstream) {
	r.Lock()
	defer r.Unlock()
	r.table[host] = u //race:routes.table[]
}

func (r *routes) find(host string) (upstream, bool) {
	r.Lock()
	defer r.Unlock()
	u, ok := r.table[host] //race:routes.table[]
	return u, ok
}

type watcher struct {
	routes routes
	events <-chan string
}

func (w *watcher) run() {
	port := 8000
	for host := range w.events {
		port++
		w.routes.set(host, upstream{addr: "10.0.0.7", port: port})
	}
}

type handler struct {
	routes routes
}

func (h *handler) serveHost(host string) int {
	if _, ok := h.routes.find(host); !ok {
		return 502
	}
	return 200
}

func main() {
	r := routes{table: map[string]upstream{"www.test": {"10.0.0.1", 80}}}
	events := make(chan string)
	w := &watcher{routes: r, events: events}
	h := &handler{routes: r}
	go w.run()
	go func() {
		defer close(events)
		for i := 0; i < 6; i++ {
			events <- fmt.Sprintf("h%d.test", i)
			time.Sleep(200 * time.Microsecond)
		}
	}()
	codes := map[int]int{}
	for i := 0; i < 12; i++ {
		codes[h.serveHost("www.test")]++
		time.Sleep(200 * time.Microsecond)
	}
	fmt.Println("ok", codes[200])
}
