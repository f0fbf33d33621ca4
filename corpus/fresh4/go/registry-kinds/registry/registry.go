// Package registry knows how to write values of every kind.
package registry

import "time"

// Encoder writes a value.
type Encoder func(v any) string

var (
	kinds = map[string]Encoder{}
	order = make([]string, 0, 16)
)

func init() {
	Register("text", func(v any) string { return v.(string) })
}

// Register adds a kind.
func Register(kind string, e Encoder) {
	kinds[kind] = e             //race:kinds[]
	order = append(order, kind) //race:order
}

// Encode writes a value.
func Encode(kind string, v any) string {
	e, ok := kinds[kind] //race:kinds[]
	if !ok {
		return ""
	}
	return e(v)
}

func settle(d time.Duration) { time.Sleep(d) }
