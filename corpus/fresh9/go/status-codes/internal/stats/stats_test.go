package stats

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

func TestWrapCountsByCode(t *testing.T) {
	codes := New()
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(2 * time.Millisecond)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("/gone", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(2 * time.Millisecond)
		w.WriteHeader(http.StatusGone)
	})
	srv := httptest.NewServer(codes.Wrap(mux))

	var wg sync.WaitGroup
	for _, path := range []string{"/ok", "/gone", "/ok", "/missing", "/gone"} {
		wg.Add(1)
		go func(url string) {
			defer wg.Done()
			resp, err := http.Get(url)
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		}(srv.URL + path)
	}
	wg.Wait()
	srv.Close()
}
