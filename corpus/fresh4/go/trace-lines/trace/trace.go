// Package trace writes down what happens.
package trace

import (
	"math/rand"
	"strconv"
	"strings"
)

// Trace is what happened so far.
type Trace struct {
	text strings.Builder
	ids  *rand.Rand
}

// New returns an empty trace.
func New(seed int64) *Trace {
	t := &Trace{ids: rand.New(rand.NewSource(seed))}
	t.text.Grow(4096)
	return t
}

// Span writes down one step.
func (t *Trace) Span(name string) {
	id := t.ids.Int63()                                  //race:Trace.ids
	t.text.WriteString(name + strconv.FormatInt(id, 36)) //race:Trace.text
}
