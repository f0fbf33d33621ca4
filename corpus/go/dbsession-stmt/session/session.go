// Package session runs the statements of one client.
package session

import (
	"github.com/deadheat-corpus/dbsession/executor"
	"github.com/deadheat-corpus/dbsession/stmtctx"
)

// Session is one client's state.
type Session struct {
	sc stmtctx.StatementContext
}

// Execute runs one statement.
func (s *Session) Execute(text string) error {
	return s.executeStmt(text)
}

func (s *Session) executeStmt(text string) error {
	executor.ResetContextOfStmt(&s.sc, text)
	return s.runStmt(text)
}

func (s *Session) runStmt(text string) error {
	e := executor.Build(&s.sc, text)
	if e != nil {
		e.Open()
	}
	return nil
}
