package geo

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func serve(t *testing.T, country string) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, country)
	}))
	old := Endpoint
	Endpoint = srv.URL
	t.Cleanup(func() {
		Endpoint = old //race:Endpoint
		srv.Close()
	})
}

func TestCountry(t *testing.T) {
	serve(t, "NO")
	l := NewLocator(2*time.Millisecond, 10)
	if got := l.Country(); got != "NO" {
		t.Errorf("got %q", got)
	}
	time.Sleep(3 * time.Millisecond)
}
