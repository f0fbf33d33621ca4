package hl

import (
	"strings"
	"sync"
	"time"
)

type tokenizer struct {
	src   string
	words int
}

var tokenizers = sync.Pool{New: func() any { return new(tokenizer) }}

// Stats hears of every text that was highlighted.
type Stats interface {
	Seen(words int)
}

func (t *tokenizer) load(src string) {
	t.src = src
	t.words = len(strings.Fields(src)) //race:tokenizer.words
}

func (t *tokenizer) tell(to Stats) {
	time.Sleep(time.Millisecond)
	to.Seen(t.words) //race:tokenizer.words
}

// Highlight marks the keywords of a text.
func Highlight(src string, to Stats) string {
	t := tokenizers.Get().(*tokenizer)
	defer tokenizers.Put(t)
	t.load(src)
	go t.tell(to)
	return strings.ReplaceAll(t.src, "func", "<b>func</b>")
}
