package proxy

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

func TestStatusWhileServing(t *testing.T) {
	var g Gauge
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(2 * time.Millisecond)
		w.WriteHeader(http.StatusNoContent)
	})
	h := g.Wrap(slow)
	var clients sync.WaitGroup
	for i := 0; i < 3; i++ {
		clients.Add(1)
		go func() {
			defer clients.Done()
			for n := 0; n < 5; n++ {
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
			}
		}()
	}
	for n := 0; n < 5; n++ {
		rec := httptest.NewRecorder()
		g.ServeHTTP(rec, httptest.NewRequest("GET", "/status", nil))
		if rec.Code != http.StatusOK {
			t.Errorf("status page answered %d", rec.Code)
		}
		time.Sleep(time.Millisecond)
	}
	clients.Wait()
}
