package greeter

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

func TestServeHTTP(t *testing.T) {
	srv := httptest.NewServer(&Greeter{})
	defer srv.Close()
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			resp, err := http.Get(srv.URL)
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		}()
	}
	wg.Wait()
}
