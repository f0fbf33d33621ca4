// Package acl says who may do what.
package acl

import (
	"bufio"
	"strings"
)

// Loader returns the text of a list.
type Loader func() string

// List has rules that can be loaded again.
type List struct {
	load    Loader
	current *ruleset
}

type ruleset struct {
	allow map[string]bool
	lines int
}

func parse(text string) *ruleset {
	r := &ruleset{allow: map[string]bool{}} //behind:ruleset.lines
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		r.lines++
		if who, ok := strings.CutPrefix(s.Text(), "allow "); ok {
			r.allow[who] = true
		}
	}
	return r
}

// Open loads a list for the first time.
func Open(load Loader) *List {
	return &List{load: load, current: parse(load())}
}

// Reload loads it again, if it has changed.
func (l *List) Reload() bool {
	next := parse(l.load())
	if next.lines == l.current.lines { //behind:ruleset.lines //race:List.current
		return false
	}
	l.current = next //race:List.current
	return true
}

// Allowed tells whether somebody may.
func (l *List) Allowed(who string) bool {
	return l.current.allow[who] //race:List.current
}
