package auth

import (
	"net/http"
	"time"
)

// Issuer gives tokens.
type Issuer interface {
	Issue() (token string, ttl time.Duration, err error)
}

// Transport adds a token to requests.
type Transport struct {
	Base   http.RoundTripper
	issuer Issuer
	token  string
	expiry int64
	quit   chan struct{}
}

// NewTransport gets a first token and keeps it fresh.
func NewTransport(base http.RoundTripper, i Issuer) (*Transport, error) {
	t := &Transport{Base: base, issuer: i, quit: make(chan struct{})}
	ttl, err := t.refresh()
	if err != nil {
		return nil, err
	}
	go t.keepFresh(ttl)
	return t, nil
}

func (t *Transport) refresh() (time.Duration, error) {
	token, ttl, err := t.issuer.Issue()
	if err != nil {
		return 0, err
	}
	t.token = token                           //race:Transport.token
	t.expiry = time.Now().Add(ttl).UnixNano() //race:Transport.expiry
	return ttl, nil
}

func (t *Transport) keepFresh(ttl time.Duration) {
	for {
		select {
		case <-t.quit:
			return
		case <-time.After(ttl / 2):
			if next, err := t.refresh(); err == nil {
				ttl = next
			}
		}
	}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	clone := r.Clone(r.Context())
	if time.Now().UnixNano() < t.expiry { //race:Transport.expiry
		clone.Header.Set("Authorization", "Bearer "+t.token) //race:Transport.token
	}
	return t.Base.RoundTrip(clone)
}

// Close stops refreshing.
func (t *Transport) Close() { close(t.quit) }
