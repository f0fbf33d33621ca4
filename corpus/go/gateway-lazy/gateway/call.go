package gateway

import "errors"

// ErrGone means that every try failed.
var ErrGone = errors.New("gone")

// Fetch reads a value.
func (g *Gateway) Fetch(key string) (string, error) {
	return g.retry(func() (string, error) { return g.roundTrip(key) })
}

// Store writes a value.
func (g *Gateway) Store(key, value string) error {
	_, err := g.retry(func() (string, error) { return g.roundTrip(key + "=" + value) })
	return err
}

func (g *Gateway) retry(call func() (string, error)) (string, error) {
	g.ensurePolicy()
	for i := 0; i < 3; i++ {
		if out, err := call(); err == nil {
			return out, nil
		}
	}
	return "", ErrGone
}

func (g *Gateway) roundTrip(line string) (string, error) {
	g.ensure()
	return "ok " + line, nil
}
