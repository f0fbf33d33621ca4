// Package index finds documents.
package index

import (
	"strings"
	"sync"
	"time"
)

// Doc is a text with a name.
type Doc struct {
	Name string
	Text string
}

type group struct{ sync.WaitGroup }

func (g *group) spawn(work func()) {
	g.Add(1)
	go func() {
		defer g.Done()
		work()
		time.Sleep(25 * time.Millisecond)
	}()
}

// Build sorts documents into those that have a word and those that do not.
func Build(docs []Doc, word string) (int, int) {
	var g group
	hits := make([]string, 0, 16)
	misses := make([]string, 0, 16)
	for n, d := range docs {
		n, d := n, d
		g.spawn(func() {
			time.Sleep(time.Duration(n) * 4 * time.Millisecond)
			if strings.Contains(d.Text, word) {
				hits = append(hits, d.Name) //race:Build.hits
			} else {
				misses = append(misses, d.Name) //race:Build.misses
			}
		})
	}
	g.Wait()
	return len(hits), len(misses)
}
