package hooks

import (
	"bytes"
	"net/http"
	"strconv"
)

// Sender delivers events to subscribers.
type Sender struct {
	client *http.Client
	base   http.Header
	secret string
}

// NewSender makes a sender that signs with a secret.
func NewSender(rt http.RoundTripper, secret string) *Sender {
	h := make(http.Header)
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "hooks/1")
	return &Sender{client: &http.Client{Transport: rt}, base: h, secret: secret}
}

// Deliver posts one event.
func (s *Sender) Deliver(url string, body []byte) error {
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	s.base.Set("X-Signature", sign(s.secret, body)) //race:Sender.base
	req.Header = s.base.Clone()                     //race:Sender.base
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func sign(secret string, body []byte) string {
	sum := len(secret)
	for _, b := range body {
		sum = sum*31 + int(b)
	}
	return strconv.Itoa(sum)
}
