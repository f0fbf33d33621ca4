// Package desk gives out tickets over HTTP.
package desk

import (
	"fmt"
	"net/http"
)

// Desk gives out tickets.
type Desk struct {
	byUser map[string]int
	queue  []string
	mux    *http.ServeMux
}

// New returns a desk with its routes.
func New() *Desk {
	d := &Desk{byUser: map[string]int{}, queue: make([]string, 0, 32), mux: http.NewServeMux()}
	d.mux.HandleFunc("/take", d.take)
	return d
}

// ServeHTTP makes a desk a handler.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mux.ServeHTTP(w, r)
}

func (d *Desk) take(w http.ResponseWriter, r *http.Request) {
	user := r.URL.Query().Get("user")
	d.byUser[user]++                //race:Desk.byUser[]
	d.queue = append(d.queue, user) //race:Desk.queue
	fmt.Fprintln(w, "taken")
}
