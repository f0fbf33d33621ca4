// Package worker evaluates in the background.
package worker

import (
	"time"

	"github.com/deadheat-corpus/minisql/internal/stmtctx"
)

// Evaluate warns of every value it cuts off.
func Evaluate(sc *stmtctx.Context, n int) {
	for i := 0; i < n; i++ {
		sc.AppendWarning("data truncated")
		time.Sleep(time.Millisecond)
	}
}
