package mgmt

import (
	"strings"

	"example.com/bgp/speaker/fsm"
)

// Console answers questions about sessions.
type Console struct{ sessions []*fsm.Session }

// NewConsole shows some sessions.
func NewConsole(s ...*fsm.Session) *Console { return &Console{s} }

// Neighbours is the output of `show neighbours`.
func (c *Console) Neighbours() string {
	var sb strings.Builder
	for _, s := range c.sessions {
		sb.WriteString(s.Summary())
		sb.WriteByte('\n')
	}
	return sb.String()
}
