package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
)

// stepLog is what a build step printed.
type stepLog struct {
	name string
	buf  bytes.Buffer
}

func (l *stepLog) writeLine(stream, line string) {
	fmt.Fprintf(&l.buf, "[%s] %s\n", stream, line) //race:stepLog.buf
}

func pump(l *stepLog, stream string, r io.Reader) error {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		l.writeLine(stream, sc.Text())
	}
	return sc.Err()
}

type process struct {
	stdout io.Reader
	stderr io.Reader
}

func runStep(name string, p process) *stepLog {
	l := &stepLog{name: name}
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		_ = pump(l, "out", p.stdout)
	}()
	go func() {
		defer wg.Done()
		_ = pump(l, "err", p.stderr)
	}()
	wg.Wait()
	return l
}

func main() {
	l := runStep("go build", process{
		stdout: strings.NewReader("compiling a\ncompiling b\n"),
		stderr: strings.NewReader("warning: slow\nwarning: old\n"),
	})
	fmt.Println(l.name, l.buf.Len() > 0)
}
