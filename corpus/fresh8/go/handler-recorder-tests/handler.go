package web

import (
	"fmt"
	"io"
	"net/http"
)

// Greeter answers with a greeting in the language asked for.
type Greeter struct {
	Words map[string]string
}

func (g Greeter) word(lang string) string {
	if w, ok := g.Words[lang]; ok {
		return w
	}
	return "Hello"
}

// ServeHTTP writes the greeting.
func (g Greeter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	word := g.word(r.URL.Query().Get("lang"))
	io.WriteString(w, fmt.Sprintf("%s, %s!", word, r.URL.Query().Get("name")))
}
