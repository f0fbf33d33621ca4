package drafts

import (
	"testing"
	"time"
)

type remote struct{ latency time.Duration }

func (r remote) Save(id, text string) error {
	time.Sleep(r.latency)
	return nil
}

func TestCloseDiscards(t *testing.T) {
	d := Open("note-1", remote{4 * time.Millisecond}, time.Millisecond)
	d.Edit("Dear all,")
	time.Sleep(3 * time.Millisecond)
	d.Close()
	time.Sleep(15 * time.Millisecond)
}

func TestCloseWithoutEdit(t *testing.T) {
	Open("note-2", remote{}, time.Hour).Close()
}
