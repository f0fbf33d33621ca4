// Package hedge sends a request a second time if the first one is slow.
package hedge

import (
	"context"
	"net/http"
	"time"
)

// Request is what a backend gets.
type Request struct {
	Path   string
	Header http.Header
}

// Backend answers requests.
type Backend interface {
	Call(ctx context.Context, r *Request) (string, error)
}

type answer struct {
	body string
	err  error
}

// Client hedges.
type Client struct {
	backends []Backend
	delay    time.Duration
}

// New returns a client that asks the next backend after a delay.
func New(delay time.Duration, backends ...Backend) *Client {
	return &Client{backends: backends, delay: delay}
}

// Do returns the first answer.
func (c *Client) Do(ctx context.Context, r *Request) (string, error) {
	answers := make(chan answer, len(c.backends))
	for attempt, b := range c.backends {
		go c.attempt(ctx, attempt, b, r, answers)
		time.Sleep(c.delay)
		select {
		case first := <-answers:
			return first.body, first.err
		default:
		}
	}
	last := <-answers
	return last.body, last.err
}

func (c *Client) attempt(ctx context.Context, n int, b Backend, r *Request, out chan<- answer) {
	if n > 0 {
		markHedged(r)
	}
	body, err := b.Call(ctx, r)
	out <- answer{body, err}
}

func markHedged(r *Request) {
	r.Header.Set("X-Hedged", "1") //race:Request.Header
}

// Trace returns the id under which a request is logged.
func (r *Request) Trace() string {
	return r.Header.Get("X-Request-Id") //race:Request.Header
}
