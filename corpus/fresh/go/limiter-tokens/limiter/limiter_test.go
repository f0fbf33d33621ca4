package limiter

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestBurst(t *testing.T) {
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	h := New(5).Wrap(ok)
	codes := make(chan int, 8)
	for i := 0; i < cap(codes); i++ {
		go func() {
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil))
			codes <- rec.Code
		}()
	}
	allowed := 0
	for i := 0; i < cap(codes); i++ {
		if <-codes == http.StatusNoContent {
			allowed++
		}
	}
	t.Logf("%d of %d went through", allowed, cap(codes))
}
