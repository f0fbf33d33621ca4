package pay

import "time"

// Token is what the provider's identity service hands out.
type Token struct {
	Value  string
	Expiry time.Time
}

type tokenSource struct {
	fetch  func() *Token
	cached *Token
}

func (ts *tokenSource) token() *Token {
	if ts.cached == nil { //race:tokenSource.cached
		ts.cached = ts.fetch() //race:tokenSource.cached
	}
	return ts.cached //race:tokenSource.cached
}

// Client speaks to the provider.
type Client struct {
	tokens tokenSource
	base   string
}

// NewClient makes a client that logs in on its first call.
func NewClient(base string, fetch func() *Token) *Client {
	return &Client{base: base, tokens: tokenSource{fetch: fetch}}
}

// Charge takes an amount off a card.
func (c *Client) Charge(card string, cents int) (string, error) {
	tok := c.tokens.token()
	return c.base + "/charges/" + card + "?t=" + tok.Value, nil
}

// Refund gives an amount back.
func (c *Client) Refund(charge string) (string, error) {
	tok := c.tokens.token()
	return c.base + "/refunds/" + charge + "?t=" + tok.Value, nil
}
