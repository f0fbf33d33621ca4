package plugins

import (
	"fmt"
	"io"
)

// Table prints the registered plugins.
func Table(w io.Writer, r *Registry) (lines int) {
	for name, p := range r.All() { //race:Registry.byName
		fmt.Fprintf(w, "%-12s %s\n", name, p.Version())
		lines++
	}
	return lines
}
