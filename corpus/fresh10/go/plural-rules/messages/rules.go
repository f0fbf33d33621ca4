package messages

import (
	"fmt"
	"strings"
)

// rules map a number to a plural form.
type rules struct {
	forms []string
	pick  func(n int) string
}

func parseRules(source string) *rules {
	r := &rules{forms: strings.Fields(source)} //behind:rules
	r.pick = func(n int) string {
		switch {
		case n == 1, len(r.forms) == 1: //behind:rules
			return r.forms[0] //behind:rules
		case n < 5 && len(r.forms) > 2:
			return r.forms[1] //behind:rules
		}
		return r.forms[len(r.forms)-1] //behind:rules
	}
	return r
}

// Language has messages with plurals.
type Language struct {
	tag    string
	source string
	parsed *rules
}

// NewLanguage names a language and its plural forms.
func NewLanguage(tag, forms string) *Language {
	return &Language{tag: tag, source: forms}
}

func (l *Language) rules() *rules {
	if l.parsed == nil { //race:Language.parsed
		l.parsed = parseRules(l.source) //race:Language.parsed
	}
	return l.parsed //race:Language.parsed
}

// Count puts a number and its noun together.
func (l *Language) Count(n int, noun string) string {
	return fmt.Sprintf("%d %s/%s", n, noun, l.rules().pick(n)) //behind:rules
}
