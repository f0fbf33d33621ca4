package watch

import (
	"testing"
	"time"
)

var disk = map[string]int{"a": 1}

func TestStart(t *testing.T) {
	w := Start(3 * time.Millisecond)
	time.Sleep(5 * time.Millisecond)
	if len(w.hits) > 0 {
		t.Fatal("there was no file")
	}
}

func TestTouch(t *testing.T) {
	scans = 0    //race:scans
	files = disk //race:files
	time.Sleep(10 * time.Millisecond)
}
