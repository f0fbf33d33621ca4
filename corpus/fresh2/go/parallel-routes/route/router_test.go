package route

import (
	"sync"
	"testing"
	"time"
)

var (
	once   sync.Once
	router *Router
)

func fixture(t *testing.T) *Router {
	t.Helper()
	once.Do(func() { router = New() })
	return router
}

func status(code int) Handler {
	return func(string) int { return code }
}

func check(t *testing.T, path string, code int) {
	t.Helper()
	r := fixture(t)
	time.Sleep(4 * time.Millisecond)
	r.Handle(path, status(code))
	time.Sleep(2 * time.Millisecond)
	if got := r.Serve(path); got != code {
		t.Errorf("got %d", got)
	}
}

func TestOrders(t *testing.T) {
	t.Parallel()
	check(t, "/orders", 200)
}

func TestAdmin(t *testing.T) {
	t.Parallel()
	check(t, "/admin", 403)
}
