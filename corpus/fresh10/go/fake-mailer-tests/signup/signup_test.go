package signup

import (
	"errors"
	"testing"
	"time"
)

type fakeMailer struct {
	delay time.Duration
	sent  int
	last  string
}

func (f *fakeMailer) Mail(to, subject string) error {
	time.Sleep(f.delay)
	f.sent++         //race:fakeMailer.sent
	f.last = subject //race:fakeMailer.last
	return nil
}

func setup(t *testing.T) (*Service, *fakeMailer) {
	t.Helper()
	f := &fakeMailer{delay: time.Millisecond}
	return New(f, "example.com"), f
}

func TestRegister(t *testing.T) {
	svc, _ := setup(t)
	cases := []struct {
		name, address string
		want          error
	}{
		{"guest", "ada@example.org", nil},
		{"colleague", "bo@example.com", nil},
		{"another guest", "cy@example.net", nil},
		{"no host", "dee@", ErrAddress},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := svc.Register(c.address); !errors.Is(err, c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
