// Package migrate brings a schema up to date.
package migrate

import (
	"errors"
	"time"
)

// ErrSlow is returned when a migration takes too long.
var ErrSlow = errors.New("migrate: too slow")

// Step is one change.
type Step struct {
	Version int
	Up      func() error
}

// Schema is what is changed.
type Schema struct {
	patience time.Duration
	hooks    []func(version int)
}

// NewSchema returns a schema that waits so long for its migrations.
func NewSchema(patience time.Duration) *Schema {
	return &Schema{patience: patience}
}

// OnStep has a function called before each step.
func (s *Schema) OnStep(hook func(version int)) {
	s.hooks = append(s.hooks, hook)
}

func (s *Schema) before(version int) {
	for _, hook := range s.hooks {
		hook(version)
	}
}
