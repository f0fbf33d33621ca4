package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
)

type slowReader struct {
	src   io.Reader
	delay time.Duration
}

func (s slowReader) Read(p []byte) (int, error) {
	time.Sleep(s.delay)
	if len(p) > 40 {
		p = p[:40]
	}
	return s.src.Read(p)
}

type tailer struct {
	name  string
	every time.Duration
	out   io.Writer
}

// follow reads to the end and shows how far it has come.
func (t *tailer) follow(r io.Reader) (int, error) {
	lines := 0
	bytes := 0
	finished := make(chan error, 1)

	go func() {
		sc := bufio.NewScanner(r)
		for sc.Scan() {
			lines++                 //race:lines
			bytes += len(sc.Text()) //race:bytes
		}
		finished <- sc.Err()
	}()

	tick := time.NewTicker(t.every)
	defer tick.Stop()
	for {
		select {
		case err := <-finished:
			return lines, err
		case <-tick.C:
			fmt.Fprintf(t.out, "%s: %d lines", t.name, lines) //race:lines
			fmt.Fprintf(t.out, ", %d bytes\n", bytes)         //race:bytes
		}
	}
}

func main() {
	text := strings.Repeat("level=info msg=\"request served\"\n", 20)
	t := &tailer{name: "access.log", every: 2 * time.Millisecond, out: io.Discard}
	n, err := t.follow(slowReader{strings.NewReader(text), time.Millisecond})
	fmt.Println("lines", n, err)
}
