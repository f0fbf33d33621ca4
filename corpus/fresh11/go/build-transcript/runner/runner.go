// Package runner runs the commands of a build step.
package runner

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// Command writes its output and returns its status.
type Command func(out io.Writer) int

type step struct {
	out bytes.Buffer
	wg  sync.WaitGroup
}

func (s *step) start(name string, c Command) {
	s.wg.Go(func() {
		status := c(&s.out)                                //race:step.out
		fmt.Fprintf(&s.out, "%s: exit %d\n", name, status) //race:step.out
	})
}

// Run runs commands side by side and returns what they wrote.
func Run(commands map[string]Command) string {
	var s step
	for name, c := range commands {
		s.start(name, c)
	}
	s.wg.Wait()
	return s.out.String()
}
