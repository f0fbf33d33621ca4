package client

import (
	"testing"
	"time"
)

type fakeTransport struct {
	calls    int
	lastPath string
}

func (f *fakeTransport) RoundTrip(method, path string, body []byte) ([]byte, error) {
	f.calls++         //race:fakeTransport.calls
	f.lastPath = path //race:fakeTransport.lastPath
	time.Sleep(2 * time.Millisecond)
	return []byte("item"), nil
}

var fake = &fakeTransport{}

func TestGet(t *testing.T) {
	t.Parallel()
	c := New(fake, "/v1/")
	got, err := c.Get("7")
	if err != nil || got != "item" {
		t.Fatalf("Get: %q, %v", got, err)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	c := New(fake, "/v1")
	if err := c.Delete("7"); err != nil {
		t.Fatal(err)
	}
}
