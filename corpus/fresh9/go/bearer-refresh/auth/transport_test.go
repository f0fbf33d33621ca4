package auth

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

type counter struct{ n int }

func (c *counter) Issue() (string, time.Duration, error) {
	c.n++
	if c.n > 1000 {
		return "", 0, errors.New("too many tokens")
	}
	return fmt.Sprintf("tok-%d", c.n), 4 * time.Millisecond, nil
}

type echo struct{}

func (echo) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer tok-") {
		return nil, errors.New("no token")
	}
	return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
}

func TestRequestsCarryToken(t *testing.T) {
	tr, err := NewTransport(echo{}, &counter{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	client := &http.Client{Transport: tr}
	for i := 0; i < 12; i++ {
		resp, err := client.Get("http://api.example.com/v1/things")
		if err == nil {
			resp.Body.Close()
		}
		time.Sleep(time.Millisecond)
	}
}
