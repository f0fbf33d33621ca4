package kiosk

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

type customer struct {
	kiosk http.Handler
	codes chan int
}

func (c *customer) visit(path string) {
	w := httptest.NewRecorder()
	c.kiosk.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	c.codes <- w.Code
}

func TestQueue(t *testing.T) {
	c := &customer{New(9 * time.Millisecond).Handler(), make(chan int, 2)}
	go c.visit("/order?cup=large")
	time.Sleep(4 * time.Millisecond)
	c.visit("/pay")
	for i := 0; i < cap(c.codes); i++ {
		if code := <-c.codes; code > 299 {
			t.Errorf("code %d", code)
		}
	}
}
