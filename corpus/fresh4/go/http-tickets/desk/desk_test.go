package desk

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func take(h http.Handler, user string) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/take?user="+user, nil))
	return w.Code
}

func TestTwoAtOnce(t *testing.T) {
	d := New()
	for i, user := range []string{"ann", "ben", "cleo"} {
		go func(user string, wait time.Duration) {
			time.Sleep(wait)
			if code := take(d, user); code != 200 {
				t.Error(code)
			}
			time.Sleep(40 * time.Millisecond)
		}(user, time.Duration(1+4*i)*time.Millisecond)
	}
	time.Sleep(35 * time.Millisecond)
}
