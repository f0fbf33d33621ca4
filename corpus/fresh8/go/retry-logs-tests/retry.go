package deliver

import (
	"errors"
	"time"
)

// ErrRefused says that the receiver did not take it.
var ErrRefused = errors.New("refused")

// Logger is the part of testing.T that deliveries log to.
type Logger interface {
	Logf(format string, args ...any)
}

// Mailer delivers messages in the background.
type Mailer struct {
	Log   Logger
	Delay time.Duration
	Send  func(to string) error
}

// Deliver tries twice and returns at once.
func (m *Mailer) Deliver(to string) {
	go m.attempt(to)
}

func (m *Mailer) attempt(to string) {
	for i := 0; i < 2; i++ {
		time.Sleep(m.Delay)
		if err := m.Send(to); err != nil {
			m.Log.Logf("attempt %d for %s: %v", i, to, err) //race:common.done
			continue
		}
		return
	}
}
