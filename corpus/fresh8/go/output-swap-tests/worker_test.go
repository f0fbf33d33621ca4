package worker

import (
	"io"
	"testing"
	"time"
)

func silence(t *testing.T) {
	t.Helper()
	old := Output
	Output = io.Discard //race:Output
	t.Cleanup(func() { Output = old })
}

func TestRunsTasks(t *testing.T) {
	var g Group
	g.Go(Task{"index", time.Millisecond})
	g.Go(Task{"vacuum", time.Millisecond})
	time.Sleep(300 * time.Microsecond)
	silence(t)
	g.Wait()
}

func TestWaitsForNothing(t *testing.T) {
	var g Group
	g.Wait()
}
