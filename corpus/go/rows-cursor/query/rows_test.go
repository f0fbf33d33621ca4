package query

import (
	"testing"
	"time"
)

func TestCancel(t *testing.T) {
	rows := Open()
	go rows.All()
	time.Sleep(40 * time.Millisecond)
	rows.Cancel()
}
