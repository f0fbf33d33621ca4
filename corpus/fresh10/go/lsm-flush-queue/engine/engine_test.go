package engine

import (
	"fmt"
	"testing"
	"time"
)

func TestFlushInBackground(t *testing.T) {
	e := Open()
	for i := 0; i < 60; i++ {
		e.Put(fmt.Sprintf("user/%04d", i%17), "0123456789")
		time.Sleep(100 * time.Microsecond)
	}
	if runs := e.Close(); runs == 0 {
		t.Error("nothing was flushed")
	}
}

func TestSortedKeepsNewestFirst(t *testing.T) {
	m := &memtable{}
	m.add(entry{"b", "1", 1})
	m.add(entry{"a", "2", 2})
	m.add(entry{"a", "3", 3})
	if got := m.sorted()[0].value; got != "3" {
		t.Errorf("newest value of a is %q", got)
	}
}
