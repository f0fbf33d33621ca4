package tail

import (
	"io"
	"os"
	"testing"
	"time"
)

var spool = NewSpool("boot", "listen", "accept")

func TestMain(m *testing.M) {
	os.Exit(m.Run())
}

type lineCount chan int

func (c lineCount) Write(p []byte) (int, error) {
	c <- len(p)
	return len(p), nil
}

func TestOpenSendsOldLines(t *testing.T) {
	got := make(lineCount, 8)
	spool.Open(got)
	if n := <-got; n != len("boot") {
		t.Errorf("first line has %d bytes", n)
	}
	time.Sleep(time.Millisecond)
}

func TestTruncate(t *testing.T) {
	spool.Truncate("restart")
	tailer := spool.Open(io.Discard)
	defer tailer.Close()
	time.Sleep(2 * time.Millisecond)
}
