package storage

import (
	"testing"
	"time"
)

func TestClose(t *testing.T) {
	e := OpenDisk("data")
	go func() {
		if err := e.Close(); err != nil {
			t.Log(err)
		}
	}()
	time.Sleep(20 * time.Millisecond)
	if e.Closed() {
		t.Log("closed")
	}
}
