package notify

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

type quick struct{}

func (quick) Send(string, string) error {
	time.Sleep(time.Millisecond)
	return nil
}

func TestCreate(t *testing.T) {
	s := NewServer(quick{}, log.New(io.Discard, "", 0))
	body := strings.NewReader(`{"url": "http://a.example/hook", "kinds": ["paid"]}`)
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/subscriptions", body))
	if rec.Code != http.StatusCreated {
		t.Fatal(rec.Code)
	}
	time.Sleep(10 * time.Millisecond)
}
