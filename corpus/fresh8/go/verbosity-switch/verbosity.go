package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

var verbosity int32

func setVerbosity(v int32) {
	atomic.StoreInt32(&verbosity, v) //race:verbosity
}

func enabled(v int32) bool {
	return verbosity >= v //race:verbosity
}

func debugf(w io.Writer, format string, args ...any) {
	if enabled(2) {
		fmt.Fprintf(w, format, args...)
	}
}

type daemon struct {
	out  io.Writer
	jobs int
}

func (d *daemon) loop(rounds int, ended chan<- struct{}) {
	for i := 0; i < rounds; i++ {
		d.jobs++
		debugf(d.out, "job %d\n", d.jobs)
		time.Sleep(200 * time.Microsecond)
	}
	close(ended)
}

func onSignal(name string) {
	switch name {
	case "usr1":
		setVerbosity(2)
	case "usr2":
		setVerbosity(0)
	}
}

func main() {
	d := &daemon{out: io.Discard}
	ended := make(chan struct{})
	go d.loop(12, ended)
	time.Sleep(time.Millisecond)
	onSignal("usr1")
	time.Sleep(500 * time.Microsecond)
	onSignal("usr2")
	<-ended
	fmt.Println("jobs", d.jobs)
}
