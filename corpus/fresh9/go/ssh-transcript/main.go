package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/remote/exec/remote"
)

type trickle struct {
	lines []string
}

func (t *trickle) Read(p []byte) (int, error) {
	if len(t.lines) == 0 {
		return 0, io.EOF
	}
	time.Sleep(200 * time.Microsecond)
	n := copy(p, t.lines[0])
	t.lines = t.lines[1:]
	return n, nil
}

func main() {
	s := &remote.Session{
		Host:   "db-1.example.com",
		Stdout: &trickle{strings.SplitAfter("mounting\nchecking\nok\n", "\n")},
		Stderr: &trickle{strings.SplitAfter("warning: stale\nwarning: slow\n", "\n")},
	}
	t := s.CombinedOutput()
	fmt.Println(t.Host, t.Output.Len() > 0)
}
