package expensive

import (
	"io"
	"log"
	"testing"
	"time"

	"github.com/deadheat-corpus/sessionkill/session"
)

func TestKillsWhatRunsTooLong(t *testing.T) {
	s := session.New(7, "app")
	list := func() []*session.Session { return []*session.Session{s} }
	w := NewWatcher(time.Nanosecond, log.New(io.Discard, "", 0), list)
	go w.Run(8 * time.Millisecond)
	for i := 0; i < 3; i++ {
		if _, err := s.Execute("select sum(amount) from orders group by region"); err != nil {
			t.Logf("as expected: %v", err)
		}
	}
	w.Stop()
}
