package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// multiError is the errors of several components.
type multiError struct {
	errs []error
}

func (m *multiError) add(err error) {
	if err == nil {
		return
	}
	m.errs = append(m.errs, err) //race:multiError.errs
}

func (m *multiError) Error() string {
	var lines []string
	for _, err := range m.errs {
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "; ")
}

type component interface {
	stop() error
}

type listener struct{ addr string }

func (l listener) stop() error { return errors.New(l.addr + ": use of closed connection") }

type flusher struct{ pending int }

func (f flusher) stop() error {
	if f.pending > 0 {
		return fmt.Errorf("%d points lost", f.pending)
	}
	return nil
}

func shutdown(components []component) error {
	failed := &multiError{}
	var wg sync.WaitGroup
	for _, c := range components {
		wg.Add(1)
		go func(c component) {
			defer wg.Done()
			failed.add(c.stop())
		}(c)
	}
	wg.Wait()
	if len(failed.errs) == 0 {
		return nil
	}
	return failed
}

func main() {
	err := shutdown([]component{listener{":80"}, flusher{4}, listener{":443"}, flusher{0}})
	fmt.Println("failed", err != nil)
}
