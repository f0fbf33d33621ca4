package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

func files(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", typeOf(r.URL.Path))
	w.WriteHeader(http.StatusOK)
}

func get(h http.Handler, target string) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	return w.Header().Get("Content-Type")
}

func main() {
	h := http.HandlerFunc(files)
	var wg sync.WaitGroup
	for i, p := range []string{"/index.html", "/logo.png", "/site.css"} {
		wg.Add(1)
		go func(p string, delay time.Duration) {
			defer wg.Done()
			time.Sleep(delay)
			get(h, p)
		}(p, time.Duration(i)*time.Millisecond)
	}
	wg.Wait()
	fmt.Println("served")
}
