// Package raft agrees on a log.
package raft

import "sync"

// Entry is one command.
type Entry struct {
	Term    uint64
	Command string
}

// Log is what a node has written.
type Log struct {
	mu      sync.Mutex
	commit  int
	entries []Entry
}

// NewLog returns a log with these entries.
func NewLog(entries ...Entry) *Log {
	return &Log{entries: append(make([]Entry, 0, 16), entries...)}
}

// From returns all entries after an index.
func (l *Log) From(index int) []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries[index:]
}

// Overwrite replaces everything after an index.
func (l *Log) Overwrite(index int, entries []Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, e := range entries {
		l.entries[index+i] = e //race:Log.entries[]
	}
	l.advance(index + len(entries))
}

func (l *Log) advance(index int) {
	if index > l.commit {
		l.commit = index //race:Log.commit
	}
}

// Commit is the index up to which all agree.
func (l *Log) Commit() int {
	return l.commit //race:Log.commit
}
