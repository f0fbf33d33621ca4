// Package bus passes events to those who want them.
package bus

// Event is something that happened.
type Event struct {
	Name  string
	Attrs map[string]string
}

// Listener gets every event.
type Listener func(Event)

type named struct {
	name   string
	listen Listener
}

// Bus knows all listeners.
type Bus struct {
	listeners []named
	history   []string
}

// New returns a bus without listeners.
func New() *Bus {
	return &Bus{}
}

// Listen adds a listener.
func (b *Bus) Listen(name string, l Listener) {
	b.listeners = append(b.listeners, named{name, l}) //race:Bus.listeners
}

// Dispatch passes so many events on, each as it comes.
func (b *Bus) Dispatch(count int, next func(n int) Event) {
	for n := 0; n < count; n++ {
		b.emit(next(n))
	}
}

func (b *Bus) emit(e Event) {
	for _, one := range b.listeners { //race:Bus.listeners
		one.listen(e)
	}
	b.history = append(b.history, e.Name)
}
