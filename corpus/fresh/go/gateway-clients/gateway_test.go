package gateway

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

func TestFirstRequestsAtOnce(t *testing.T) {
	g := New("http://users.svc/", "http://orders.svc/")
	var wg sync.WaitGroup
	for _, path := range []string{"/users/1", "/users/2", "/orders/9", "/orders/10"} {
		wg.Add(1)
		go func(path string) {
			defer wg.Done()
			rec := httptest.NewRecorder()
			g.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
			if rec.Code != http.StatusOK {
				t.Errorf("%s: %d", path, rec.Code)
			}
		}(path)
	}
	wg.Wait()
}
