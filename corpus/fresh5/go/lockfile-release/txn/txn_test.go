package txn

import (
	"testing"
	"time"
)

func TestWaitForInstall(t *testing.T) {
	tx := Begin("libfoo", "bar-tools")
	n, _ := tx.Wait()
	time.Sleep(5 * time.Millisecond)
	if n > 2 {
		t.Error("too many packages")
	}
}
