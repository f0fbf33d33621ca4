package gateway

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestHealthDuringCrashes(t *testing.T) {
	g := NewGuard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/nil" {
			panic("nil upstream")
		}
	}))
	go func() {
		for i := 0; i < 8; i++ {
			g.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/nil", nil))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond)
	}()
	time.Sleep(5 * time.Millisecond)
	if n, _ := g.Health(); n > 8 {
		t.Error("too many crashes")
	}
	time.Sleep(10 * time.Millisecond)
}
