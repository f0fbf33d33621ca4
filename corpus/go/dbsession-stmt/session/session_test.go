package session_test

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/dbsession/testkit"
)

func TestSelectThenCommit(t *testing.T) {
	tk := testkit.New(t)
	tk.MustExec("select")
	time.Sleep(60 * time.Millisecond)
	tk.MustExec("commit")
}
