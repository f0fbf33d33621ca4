package deliver

import (
	"testing"
	"time"
)

func refuse(string) error { return ErrRefused }

func TestDeliver(t *testing.T) {
	m := &Mailer{Log: t, Delay: time.Millisecond, Send: refuse}
	for _, to := range []string{"ada@example.com", "bob@example.com"} {
		to := to
		t.Run(to, func(t *testing.T) {
			m.Deliver(to)
		})
	}
}

func TestDeliverReturnsAtOnce(t *testing.T) {
	begin := time.Now()
	m := &Mailer{Delay: time.Microsecond, Send: func(string) error { return nil }}
	m.Deliver("cyn@example.com")
	if time.Since(begin) > time.Second {
		t.Error("it waited")
	}
	time.Sleep(10 * time.Millisecond)
}
