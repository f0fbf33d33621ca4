package main

import (
	"fmt"
	"sync"
	"time"
)

type subscriber struct {
	topic string
	queue chan string
}

type bus struct {
	mu   sync.RWMutex
	subs []*subscriber
}

func (b *bus) subscribe(topic string) *subscriber {
	s := &subscriber{topic, make(chan string, 64)}
	b.mu.Lock()
	b.subs = append(b.subs, s)
	b.mu.Unlock()
	return s
}

func (b *bus) unsubscribe(gone *subscriber) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, s := range b.subs {
		if s == gone {
			last := len(b.subs) - 1
			b.subs[i] = b.subs[last] //race:bus.subs[]
			b.subs = b.subs[:last]
			return
		}
	}
}

func (b *bus) publish(topic, event string) {
	b.mu.RLock()
	subs := b.subs
	b.mu.RUnlock()
	for _, s := range subs { //race:bus.subs[]
		if s.topic == topic {
			s.queue <- event
		}
		time.Sleep(100 * time.Microsecond)
	}
}

func main() {
	b := &bus{}
	var subs []*subscriber
	for i := 0; i < 6; i++ {
		subs = append(subs, b.subscribe("orders"))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.publish("orders", "created")
	}()
	time.Sleep(250 * time.Microsecond)
	b.unsubscribe(subs[0])
	b.unsubscribe(subs[3])
	<-done
	fmt.Println("published", len(b.subs))
}
