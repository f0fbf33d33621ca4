package mailer

import "time"

// Mailer sends mail through a relay.
type Mailer struct {
	Relay   string
	Retries int
	Timeout time.Duration
}

// Send delivers one message and says how long it may have taken at most.
func (m *Mailer) Send(to string) time.Duration {
	var spent time.Duration
	limit := m.Timeout //race:Mailer.Timeout
	tries := m.Retries //race:Mailer.Retries
	for i := 0; i <= tries; i++ {
		spent += limit
	}
	return spent
}
