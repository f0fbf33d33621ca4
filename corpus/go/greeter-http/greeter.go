package greeter

import (
	"fmt"
	"net/http"
	"time"
)

// Greeter counts its visitors.
type Greeter struct {
	visits int
}

// ServeHTTP greets a visitor.
func (g *Greeter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	time.Sleep(20 * time.Millisecond)
	g.visits++ //race:Greeter.visits
	fmt.Fprintln(w, "hello")
}
