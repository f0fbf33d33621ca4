package mailer

import (
	"testing"
	"time"
)

var testMailer = &Mailer{Relay: "localhost:25", Retries: 1, Timeout: time.Second}

func TestSendRetries(t *testing.T) {
	t.Parallel()
	testMailer.Retries = 3 //race:Mailer.Retries
	for i := 0; i < 4; i++ {
		if testMailer.Send("a@example.org") <= 0 {
			t.Error("no time at all")
		}
		time.Sleep(3 * time.Millisecond)
	}
}

func TestSendTimeout(t *testing.T) {
	t.Parallel()
	testMailer.Timeout = time.Minute //race:Mailer.Timeout
	for i := 0; i < 4; i++ {
		if testMailer.Send("b@example.org") < time.Second {
			t.Error("too short")
		}
		time.Sleep(3 * time.Millisecond)
	}
}
