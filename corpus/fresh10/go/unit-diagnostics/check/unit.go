// Package check looks for mistakes in the units of a program.
package check

import "strings"

// Unit is one source file.
type Unit struct {
	Name  string
	Lines []string
}

// Diagnostic is a mistake and its place.
type Diagnostic struct {
	Unit string
	Line int
	Text string
}

type pass func(u Unit, report func(Diagnostic))

func bindings(u Unit, report func(Diagnostic)) {
	for i, line := range u.Lines {
		rest, ok := strings.CutPrefix(line, "let ")
		if !ok {
			continue
		}
		name, _, assigned := strings.Cut(rest, "=")
		if !assigned {
			report(Diagnostic{u.Name, i + 1, "binding without value"})
		} else if strings.TrimSpace(name) == "" {
			report(Diagnostic{u.Name, i + 1, "binding without name"})
		}
	}
}

func layout(u Unit, report func(Diagnostic)) {
	for i, line := range u.Lines {
		if strings.Contains(line, "  ") {
			report(Diagnostic{u.Name, i + 1, "two spaces"})
		}
	}
}
