package rpc

import "testing"

func TestRetriesOfAllCalls(t *testing.T) {
	c := &Client{Limit: 3, Transport: func(method string, try int) error {
		if try < 2 {
			return ErrBusy
		}
		return nil
	}}
	results := make(chan error)
	methods := []string{"Get", "List", "Watch"}
	for _, m := range methods {
		go func() { results <- c.Call(m) }()
	}
	for range methods {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if c.Retries() == 0 {
		t.Error("none was repeated")
	}
}
