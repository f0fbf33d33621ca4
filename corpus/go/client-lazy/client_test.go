package kvclient

import "testing"

func TestGet(t *testing.T) {
	c := &Client{addr: "kv"}
	done := make(chan string)
	for _, key := range []string{"a", "b"} {
		go func(key string) { done <- c.Get(key) }(key)
	}
	t.Log(<-done, <-done)
}
