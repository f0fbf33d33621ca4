// Package feed reads news.
package feed

import "time"

// Entry is a piece of news.
type Entry struct {
	Title string
	Age   int
}

// Source has entries.
type Source interface {
	Entries() []Entry
}

// Far is a source that is far away.
type Far struct {
	Lag  time.Duration
	News []Entry
}

// Entries gets them.
func (f Far) Entries() []Entry {
	time.Sleep(f.Lag)
	return f.News
}
