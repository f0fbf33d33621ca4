package portal

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func visit(h http.Handler, path string) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code
}

func TestVisits(t *testing.T) {
	h := (&Portal{}).Routes()
	for _, path := range []string{"/login", "/upload"} {
		go visit(h, path)
		time.Sleep(20 * time.Millisecond)
		if visit(h, path) != http.StatusNoContent {
			t.Error(path)
		}
	}
}
