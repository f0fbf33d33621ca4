// Command spectate shows matches to spectators.
package main

import (
	"fmt"
	"sync"
	"time"
)

type spectator struct {
	feed chan string
}

type hub struct {
	mu    sync.Mutex
	seats []*spectator
}

func (h *hub) join() *spectator {
	s := &spectator{feed: make(chan string, 32)}
	h.mu.Lock()
	h.seats = append(h.seats, s)
	h.mu.Unlock()
	return s
}

func (h *hub) leave(s *spectator) {
	h.mu.Lock()
	for i, one := range h.seats {
		if one == s {
			h.seats = append(h.seats[:i:i], h.seats[i+1:]...)
			break
		}
	}
	h.mu.Unlock()
	close(s.feed) //race:spectator.feed
}

func (h *hub) push(event string) {
	h.mu.Lock()
	seats := append([]*spectator(nil), h.seats...)
	h.mu.Unlock()
	for _, s := range seats {
		select {
		case s.feed <- event: //race:spectator.feed
		default:
		}
	}
}

func main() {
	h := &hub{}
	s, other := h.join(), h.join()
	go h.push("goal by red")
	time.Sleep(3 * time.Millisecond)
	h.leave(s)
	fmt.Println(len(other.feed), "events")
}
