package proxy

import (
	"errors"
	"testing"
	"time"
)

type fakeBackend struct {
	addr  string
	code  int
	calls int
	paths []string
}

func (f *fakeBackend) Addr() string { return f.addr }

func (f *fakeBackend) Forward(path string) (int, error) {
	time.Sleep(time.Millisecond)
	f.calls++                       //race:fakeBackend.calls
	f.paths = append(f.paths, path) //race:fakeBackend.paths
	return f.code, nil
}

var web = &fakeBackend{addr: "10.1.0.1:80", code: 200}

func mustHandle(t *testing.T, p *Proxy, path string) int {
	t.Helper()
	code, err := p.Handle(path)
	if err != nil {
		t.Fatalf("Handle(%s): %v", path, err)
	}
	return code
}

func TestForwardsToBackend(t *testing.T) {
	t.Parallel()
	if code := mustHandle(t, New(web), "/"); code != 200 {
		t.Errorf("code %d", code)
	}
}

func TestForwardsDeepPath(t *testing.T) {
	t.Parallel()
	if code := mustHandle(t, New(web), "/a/b/c"); code != 200 {
		t.Errorf("code %d", code)
	}
}

func TestNoBackend(t *testing.T) {
	t.Parallel()
	if _, err := New().Handle("/"); !errors.Is(err, ErrNoBackend) {
		t.Errorf("got %v", err)
	}
}
