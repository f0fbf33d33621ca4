package raft

import (
	"testing"
	"time"
)

type null struct{}

func (null) Send(term uint64, size int) error { return nil }

func TestReplicateWhileOverwritten(t *testing.T) {
	l := NewLog(Entry{1, "set x 1"}, Entry{1, "set y 2"}, Entry{1, "set z 3"})
	r := NewReplicator(l, null{})
	done := make(chan error)
	go func() {
		err := r.Step()
		r.Behind()
		done <- err
	}()
	time.Sleep(6 * time.Millisecond)
	l.Overwrite(1, []Entry{{2, "del y"}, {2, "del z"}})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
