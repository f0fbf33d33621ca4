package shell

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/auditbuffers/audit"
)

func TestTwoSessions(t *testing.T) {
	a := &audit.Audit{}
	done := make(chan struct{})
	for _, who := range []string{"ann", "bo"} {
		s := &Session{Who: who, Log: a, Pace: 3 * time.Millisecond}
		go func() {
			s.Run([]string{"ls", "sudo rm"})
			done <- struct{}{}
		}()
	}
	<-done
	<-done
}
