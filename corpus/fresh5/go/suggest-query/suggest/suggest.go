package suggest

import (
	"strings"
	"time"
)

// Index completes prefixes.
type Index interface {
	Complete(prefix string) []string
}

// Words is an index over a list, as slow as it says.
type Words struct {
	List  []string
	Delay time.Duration
}

// Complete finds the words that begin so.
func (w Words) Complete(prefix string) []string {
	time.Sleep(w.Delay)
	var out []string
	for _, word := range w.List {
		if strings.HasPrefix(word, prefix) {
			out = append(out, word)
		}
	}
	return out
}

// First asks all indexes and takes the quickest answer that is not empty.
func First(prefix string, indexes ...Index) (count int, best string) {
	hit := make(chan struct{}, len(indexes))
	for _, index := range indexes {
		go func(ix Index) {
			words := ix.Complete(prefix)
			if len(words) == 0 {
				return
			}
			count = len(words) //race:First.count
			best = words[0]    //race:First.best
			hit <- struct{}{}
		}(index)
	}
	select {
	case <-hit:
		return //race:First.count,First.best
	case <-time.After(100 * time.Millisecond):
		return 0, ""
	}
}
