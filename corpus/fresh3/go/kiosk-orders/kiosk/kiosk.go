// Package kiosk takes orders over HTTP.
package kiosk

import (
	"fmt"
	"net/http"
	"time"
)

// Kiosk sells coffee.
type Kiosk struct {
	open  int
	brews time.Duration
}

// New returns a kiosk that needs time for a cup.
func New(brews time.Duration) *Kiosk {
	return &Kiosk{brews: brews}
}

// Handler serves the kiosk.
func (k *Kiosk) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/order", k.order)
	mux.Handle("/pay", counted(http.HandlerFunc(k.pay)))
	return mux
}

func counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Till", "1")
		next.ServeHTTP(w, r)
	})
}

func (k *Kiosk) order(w http.ResponseWriter, r *http.Request) {
	k.begin()
	time.Sleep(k.brews)
	fmt.Fprintln(w, r.FormValue("cup"))
}

func (k *Kiosk) begin() {
	k.open++ //race:Kiosk.open
}

func (k *Kiosk) pay(w http.ResponseWriter, r *http.Request) {
	if k.open > 0 { //race:Kiosk.open
		k.open-- //race:Kiosk.open
	}
	w.WriteHeader(http.StatusNoContent)
}
