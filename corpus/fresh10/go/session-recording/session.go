package main

import (
	"io"
	"time"
)

// session connects a user to a shell.
type session struct {
	in, out io.Reader
	rec     *recorder
}

// paced reads slowly, as people do.
type paced struct{ io.Reader }

func (p paced) Read(b []byte) (int, error) {
	time.Sleep(50 * time.Microsecond)
	return p.Reader.Read(b[:min(len(b), 16)])
}

func (s *session) run(shell io.Writer) error {
	ends := make(chan error, 2)
	pump := func(dst io.Writer, src io.Reader, mark byte) {
		tee := io.TeeReader(paced{src}, direction{s.rec, mark})
		_, err := io.Copy(dst, tee)
		ends <- err
	}
	go pump(shell, s.in, '>')
	go pump(io.Discard, s.out, '<')
	if err := <-ends; err != nil {
		return err
	}
	return <-ends
}
