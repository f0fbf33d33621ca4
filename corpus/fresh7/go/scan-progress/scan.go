package main

import (
	"fmt"
	"io"
	"time"
)

type entry struct {
	path string
	size int64
}

type source interface {
	Next() (entry, bool)
}

type listing struct {
	entries []entry
	pause   time.Duration
}

func (l *listing) Next() (entry, bool) {
	if len(l.entries) == 0 {
		return entry{}, false
	}
	time.Sleep(l.pause)
	e := l.entries[0]
	l.entries = l.entries[1:]
	return e, true
}

func scan(src source, every time.Duration, log io.Writer) (int, int64) {
	files, bytes := 0, int64(0)
	stop := make(chan struct{})
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				f := files //race:files
				b := bytes //race:bytes
				fmt.Fprintf(log, "%d files, %d bytes\n", f, b)
			}
		}
	}()
	for e, ok := src.Next(); ok; e, ok = src.Next() {
		files++         //race:files
		bytes += e.size //race:bytes
	}
	close(stop)
	return files, bytes
}

func main() {
	l := &listing{pause: time.Millisecond}
	for i := 0; i < 8; i++ {
		l.entries = append(l.entries, entry{path: fmt.Sprintf("/srv/%d", i), size: 100})
	}
	f, b := scan(l, 2*time.Millisecond, io.Discard)
	fmt.Println(f, b)
}
