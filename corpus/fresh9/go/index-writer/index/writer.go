package index

import (
	"sort"
	"time"
)

// Writer buffers postings and merges them in the background.
type Writer struct {
	buffer map[string][]int
	every  time.Duration
	stop   chan struct{}
	merges int
}

// Open starts a writer.
func Open(docs map[int][]string, every time.Duration) *Writer {
	w := &Writer{buffer: map[string][]int{}, every: every, stop: make(chan struct{})}
	for id, words := range docs {
		for _, word := range words {
			w.buffer[word] = append(w.buffer[word], id)
		}
	}
	go w.mergeLoop()
	return w
}

func (w *Writer) mergeLoop() {
	for {
		select {
		case <-w.stop:
			return
		case <-time.After(w.every):
			w.merge()
		}
	}
}

func (w *Writer) merge() {
	words := make([]string, 0, 8)
	for word := range w.buffer { //race:Writer.buffer
		words = append(words, word)
	}
	sort.Strings(words)
	w.merges += len(words)
}

// Close stops merging and frees the buffer.
func (w *Writer) Close() {
	close(w.stop)
	w.buffer = nil //race:Writer.buffer
}
