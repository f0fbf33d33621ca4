// Package testkit runs statements for tests.
package testkit

import (
	"testing"

	"github.com/deadheat-corpus/dbsession/session"
)

// Kit is a session under test.
type Kit struct {
	t *testing.T
	s *session.Session
}

// New returns a kit.
func New(t *testing.T) *Kit {
	return &Kit{t: t, s: &session.Session{}}
}

// MustExec runs a statement that must succeed.
func (k *Kit) MustExec(text string) {
	k.execWithContext(text)
}

func (k *Kit) execWithContext(text string) {
	if err := k.s.Execute(text); err != nil {
		k.t.Fatal(err)
	}
}
