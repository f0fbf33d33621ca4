package hooks

import (
	"net/http"
	"sync"
	"testing"
	"time"
)

type accepted struct{}

func (accepted) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(time.Millisecond)
	return &http.Response{StatusCode: http.StatusAccepted, Body: http.NoBody, Request: r}, nil
}

func TestDeliverToAll(t *testing.T) {
	s := NewSender(accepted{}, "s3cret")
	var wg sync.WaitGroup
	for _, url := range []string{"http://a.example", "http://b.example", "http://c.example"} {
		wg.Add(1)
		go func(url string) {
			defer wg.Done()
			if err := s.Deliver(url, []byte(`{"event":"paid"}`)); err != nil {
				t.Error(err)
			}
			time.Sleep(3 * time.Millisecond)
		}(url)
	}
	wg.Wait()
}
