// Package session runs statements.
package session

import (
	"github.com/deadheat-corpus/minisql/internal/stmtctx"
	"github.com/deadheat-corpus/minisql/internal/worker"
)

// Session runs one statement after another.
type Session struct {
	stmt stmtctx.Context
}

// Execute runs a statement.
func (s *Session) Execute(text string) error {
	s.stmt.Reset(text)
	if text != "" {
		go worker.Evaluate(&s.stmt, 8)
	}
	return nil
}
