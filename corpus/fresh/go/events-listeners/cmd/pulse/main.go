// Command pulse prints what it hears.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/deadheat-corpus/events/bus"
)

func main() {
	b := bus.New()
	b.Listen("console", func(e bus.Event) { fmt.Fprintln(os.Stdout, e.Name) })
	go b.Dispatch(6, func(n int) bus.Event {
		time.Sleep(3 * time.Millisecond)
		return bus.Event{Name: fmt.Sprintf("heartbeat %d", n)}
	})
	time.Sleep(8 * time.Millisecond)
	attachPlugins(b)
	time.Sleep(30 * time.Millisecond)
}

func attachPlugins(b *bus.Bus) {
	for _, name := range []string{"metrics", "audit"} {
		b.Listen(name, func(bus.Event) {})
	}
}
