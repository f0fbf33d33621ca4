package signup

import (
	"errors"
	"testing"
	"time"
)

type fakeMailer struct {
	lastTo string
	delay  time.Duration
}

func (f *fakeMailer) Send(to, _ string) error {
	time.Sleep(f.delay)
	f.lastTo = to //race:fakeMailer.lastTo
	return nil
}

func (f *fakeMailer) last() string {
	return f.lastTo //race:fakeMailer.lastTo
}

var mailer = &fakeMailer{delay: 3 * time.Millisecond}

func TestRegister(t *testing.T) {
	t.Parallel()
	if err := New(mailer).Register("Alice@example.com"); err != nil {
		t.Fatal(err)
	}
	if got := mailer.last(); got != "alice@example.com" {
		t.Logf("mail went to %q", got)
	}
}

func TestRegisterTrims(t *testing.T) {
	t.Parallel()
	if err := New(mailer).Register(" bob@example.com "); err != nil {
		t.Fatal(err)
	}
	if got := mailer.last(); got != "bob@example.com" {
		t.Logf("mail went to %q", got)
	}
}

func TestRegisterBadAddress(t *testing.T) {
	t.Parallel()
	if err := New(mailer).Register("nobody"); !errors.Is(err, ErrAddress) {
		t.Fatal(err)
	}
}
