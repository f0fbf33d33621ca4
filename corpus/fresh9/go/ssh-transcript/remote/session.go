package remote

import (
	"bytes"
	"io"
	"sync"
)

// Session runs one command on a host.
type Session struct {
	Host   string
	Stdout io.Reader
	Stderr io.Reader
}

// Transcript of a command.
type Transcript struct {
	Host   string
	Output bytes.Buffer
}

// CombinedOutput collects both streams.
func (s *Session) CombinedOutput() *Transcript {
	t := &Transcript{Host: s.Host}
	var wg sync.WaitGroup
	wg.Add(2)
	go s.pump(&t.Output, s.Stdout, &wg)
	go s.pump(&t.Output, s.Stderr, &wg)
	wg.Wait()
	return t
}

func (s *Session) pump(into *bytes.Buffer, from io.Reader, wg *sync.WaitGroup) {
	defer wg.Done()
	chunk := make([]byte, 64)
	for {
		n, err := from.Read(chunk)
		into.Write(chunk[:n]) //race:Transcript.Output
		if err != nil {
			return
		}
	}
}
