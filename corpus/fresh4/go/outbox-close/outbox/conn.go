package outbox

import "errors"

var errClosed = errors.New("outbox: closed")

type conn interface {
	send(letter string) error
}

type line struct{ sent []string }

func (l *line) send(letter string) error {
	if l == nil {
		return errClosed
	}
	l.sent = append(l.sent, letter)
	return nil
}
