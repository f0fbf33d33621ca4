package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"
)

func do(h http.Handler, target string) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	return w.Code
}

func main() {
	g := &gateway{routes: map[string]route{"api": {"/api", "10.0.0.1"}}}
	mux := http.NewServeMux()
	mux.Handle("/", g)
	mux.HandleFunc("/_admin/route", g.admin)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; i < 6; i++ {
			do(mux, "/api/items")
			time.Sleep(time.Millisecond)
		}
	}()
	for i := 0; i < 3; i++ {
		do(mux, "/_admin/route?name=docs&target=10.0.0.2")
		time.Sleep(time.Millisecond)
		do(mux, "/_admin/route?name=docs")
	}
	<-done
	fmt.Println("served")
}
