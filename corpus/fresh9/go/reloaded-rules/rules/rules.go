package rules

import (
	"bufio"
	"io"
	"strings"
)

// Set is a parsed file of rules; it never changes.
type Set struct {
	Version int
	deny    []string
}

// Parse reads `deny <prefix>` lines.
func Parse(version int, r io.Reader) (*Set, error) {
	s := &Set{Version: version} //race:Set.deny
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		if p, ok := strings.CutPrefix(sc.Text(), "deny "); ok {
			s.deny = append(s.deny, p) //race:Set.deny
		}
	}
	return s, sc.Err()
}

// Allows says whether a path may be seen.
func (s *Set) Allows(path string) bool {
	for _, p := range s.deny { //race:Set.deny
		if strings.HasPrefix(path, p) {
			return false
		}
	}
	return true
}
