// Package yamlout writes manifests.
package yamlout

import (
	"fmt"
	"sort"
	"strings"
)

// Emitter turns values into YAML.
type Emitter struct {
	Indent int
	depth  int
}

func (e *Emitter) pad() string {
	return strings.Repeat(" ", e.Indent*e.depth) //race:Emitter.depth
}

// Map writes a mapping with sorted keys.
func (e *Emitter) Map(m map[string]any) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var out strings.Builder
	for _, k := range keys {
		switch v := m[k].(type) {
		case map[string]any:
			fmt.Fprintf(&out, "%s%s:\n", e.pad(), k)
			e.depth++ //race:Emitter.depth
			out.WriteString(e.Map(v))
			e.depth-- //race:Emitter.depth
		default:
			fmt.Fprintf(&out, "%s%s: %v\n", e.pad(), k, v)
		}
	}
	return out.String()
}
