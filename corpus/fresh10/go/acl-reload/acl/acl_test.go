package acl

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestTwoSignals(t *testing.T) {
	var lines atomic.Int32
	lines.Store(1)
	l := Open(func() string {
		return strings.Repeat("allow ada\n", int(lines.Add(1)))
	})
	var signals sync.WaitGroup
	for _, name := range []string{"HUP", "USR1"} {
		signals.Add(1)
		t.Log("sending", name)
		go func() {
			defer signals.Done()
			for i := 0; i < 5; i++ {
				l.Reload()
			}
		}()
	}
	signals.Wait()
	if !l.Allowed("ada") {
		t.Error("ada is locked out")
	}
}
