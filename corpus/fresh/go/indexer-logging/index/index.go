// Package index builds a search index in the background.
package index

import (
	"strings"
	"sync"
	"time"
)

// Logf is where an index says what it does.
type Logf func(format string, args ...interface{})

type document struct {
	id   int
	text string
}

// Index maps words to documents.
type Index struct {
	logf  Logf
	queue chan document
	mu    sync.Mutex
	words map[string][]int
}

// New returns an empty index with a builder in the background.
func New(logf Logf) *Index {
	x := &Index{logf: logf, queue: make(chan document, 64), words: make(map[string][]int)}
	go x.build()
	return x
}

// Add takes a document; it can be found some time later.
func (x *Index) Add(id int, text string) {
	x.queue <- document{id, text}
}

// Close says that no more documents come.
func (x *Index) Close() {
	close(x.queue)
}

func (x *Index) build() {
	for d := range x.queue {
		for _, word := range strings.Fields(strings.ToLower(d.text)) {
			x.insert(word, d.id)
		}
		time.Sleep(10 * time.Millisecond) // be kind to the disk
		x.report(d.id)
	}
}

func (x *Index) report(id int) {
	x.logf("document %d can be found", id) //race:testing.common.done
}

func (x *Index) insert(word string, id int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.words[word] = append(x.words[word], id)
}

// Lookup returns the documents that have the word.
func (x *Index) Lookup(word string) []int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]int(nil), x.words[strings.ToLower(word)]...)
}
