// Package eventbus delivers domain events to their handlers.
package eventbus

import "sync"

// DomainEvent is something that happened in the domain.
type DomainEvent interface {
	SequenceNumber() uint64
}

// EventHandler reacts to events.
type EventHandler interface {
	HandleEvent(event DomainEvent) error
}

type envelope struct {
	event   DomainEvent
	handler EventHandler
}

// EventBus delivers events by a fixed number of dispatchers.
type EventBus struct {
	handlers    []EventHandler
	mailbox     chan envelope
	dispatchers sync.WaitGroup
}

// NewEventBus returns a bus that delivers already.
func NewEventBus(dispatcherCount int) *EventBus {
	bus := &EventBus{mailbox: make(chan envelope, 64)}
	bus.dispatchers.Add(dispatcherCount)
	for i := 0; i < dispatcherCount; i++ {
		go bus.dispatchLoop()
	}
	return bus
}

// Subscribe adds a handler; it must be called before the first event.
func (bus *EventBus) Subscribe(handler EventHandler) {
	bus.handlers = append(bus.handlers, handler)
}

// Publish hands an event to every handler.
func (bus *EventBus) Publish(event DomainEvent) {
	for _, handler := range bus.handlers {
		bus.mailbox <- envelope{event, handler}
	}
}

// Drain waits until everything is delivered.
func (bus *EventBus) Drain() {
	close(bus.mailbox)
	bus.dispatchers.Wait()
}

func (bus *EventBus) dispatchLoop() {
	defer bus.dispatchers.Done()
	for letter := range bus.mailbox {
		bus.deliver(letter)
	}
}

func (bus *EventBus) deliver(letter envelope) {
	if err := letter.handler.HandleEvent(letter.event); err != nil {
		panic(err)
	}
}
