package main

import "bytes"

// recorder keeps what went over a terminal.
type recorder struct {
	title string
	tape  bytes.Buffer
}

func newRecorder(title string) *recorder {
	return &recorder{title: title}
}

// direction is one way through the recorder.
type direction struct {
	*recorder
	mark byte
}

func (d direction) Write(p []byte) (int, error) {
	d.tape.WriteByte(d.mark)  //race:recorder.tape
	n, err := d.tape.Write(p) //race:recorder.tape
	return n, err
}
