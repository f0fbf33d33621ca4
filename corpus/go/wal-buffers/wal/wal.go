// Package wal writes changes ahead.
package wal

import (
	"bytes"
	"encoding/binary"
)

// Log keeps entries and an index of them.
type Log struct {
	data  bytes.Buffer
	index bytes.Buffer
}

// Append adds one entry.
func (l *Log) Append(entry []byte) {
	var at [8]byte
	binary.BigEndian.PutUint64(at[:], uint64(len(entry)))
	l.data.Write(entry)  //race:Log.data
	l.index.Write(at[:]) //race:Log.index
}

// Size is the size of both.
func (l *Log) Size() int {
	n := l.data.Len()        //race:Log.data
	return n + l.index.Len() //race:Log.index
}
