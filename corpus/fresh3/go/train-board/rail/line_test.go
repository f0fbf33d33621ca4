package rail

import (
	"sync"
	"testing"
	"time"
)

func TestPageWhileTrainsRun(t *testing.T) {
	line := NewLine("Ulm", "Aalen")
	var boxes sync.WaitGroup
	boxes.Add(1)
	go func() {
		defer boxes.Done()
		line.Follow("Ulm", []Event{{17, Late, 4}, {19, Dropped, 0}, {21, OnTime, 0}, {23, OnTime, 0}})
	}()
	time.Sleep(5 * time.Millisecond)
	if page := line.Page("Ulm"); len(page) != 1 {
		t.Fatalf("got %v", page)
	}
	boxes.Wait()
}
