// Package slugs makes addresses out of titles.
package slugs

import (
	"strings"
	"unicode"
)

// known keeps slugs of titles that came before.
var known = make(map[string]string)

// Of returns the slug of a title.
func Of(title string) string {
	if slug, ok := known[title]; ok { //race:known
		return slug
	}
	slug := build(title)
	known[title] = slug //race:known
	return slug
}

func build(title string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(title) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			dash = false
		default:
			dash = true
		}
	}
	return b.String()
}
