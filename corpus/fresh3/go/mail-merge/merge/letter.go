// Package merge writes one letter to many.
package merge

import "strings"

// Recipient gets a letter.
type Recipient struct {
	Name string
	Town string
}

// Template has {name} and {town} in it.
type Template string

func (t Template) fill(r Recipient) string {
	return strings.NewReplacer("{name}", r.Name, "{town}", r.Town).Replace(string(t))
}

// Letter is a letter and its place in the list.
type Letter struct {
	Place int
	Text  string
}
