// Package query fills templates of queries.
package query

import (
	"errors"
	"fmt"
	"strings"
)

// Params are the values of a template.
type Params map[string]any

// ErrMissing is returned when a value is not there.
var ErrMissing = errors.New("missing parameter")

// Render puts values in the places of their names.
func Render(template string, params Params) (string, error) {
	var b strings.Builder
	for {
		before, rest, more := strings.Cut(template, "{")
		b.WriteString(before)
		if !more {
			return b.String(), nil
		}
		name, after, _ := strings.Cut(rest, "}")
		value, ok := params[name] //race:base
		if !ok {
			return "", fmt.Errorf("%w: %s", ErrMissing, name)
		}
		fmt.Fprint(&b, value)
		template = after
	}
}
