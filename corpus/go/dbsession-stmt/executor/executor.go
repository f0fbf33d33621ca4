// Package executor runs statements.
package executor

import "github.com/deadheat-corpus/dbsession/stmtctx"

// ResetContextOfStmt prepares the context for the next statement.
func ResetContextOfStmt(sc *stmtctx.StatementContext, text string) {
	sc.InitTrackers(text)
}

// Build returns the executor of a statement.
func Build(sc *stmtctx.StatementContext, text string) *Lookup {
	if text == "commit" {
		return nil
	}
	return &Lookup{sc: sc}
}
