package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestGreeter(t *testing.T) {
	g := Greeter{Words: map[string]string{"de": "Hallo", "fr": "Bonjour"}}
	rec := httptest.NewRecorder()
	for _, lang := range []string{"de", "fr", "en"} {
		lang := lang
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			req := httptest.NewRequest(http.MethodGet, "/?name=Ada&lang="+lang, nil)
			g.ServeHTTP(rec, req) //race:rec
			if rec.Code != http.StatusOK { //race:rec
				t.Errorf("status %d", rec.Code)
			}
			if rec.Body.Len() == 0 { //race:rec
				t.Error("nothing written")
			}
			time.Sleep(time.Millisecond)
		})
	}
}
