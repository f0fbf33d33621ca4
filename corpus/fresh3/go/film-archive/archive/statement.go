package archive

import (
	"fmt"
	"strings"
)

// Statement is a search: `word in title`.
type Statement struct {
	Word  string
	Title string
}

// Parse reads a statement.
func Parse(text string) (*Statement, error) {
	word, title, ok := strings.Cut(text, " in ")
	if !ok {
		return nil, fmt.Errorf("archive: %q is no search", text)
	}
	return &Statement{Word: word, Title: title}, nil
}
