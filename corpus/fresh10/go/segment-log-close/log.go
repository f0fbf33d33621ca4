package main

import (
	"errors"
	"io"
	"time"
)

type syncFile interface {
	io.Writer
	Sync() error
}

var errClosed = errors.New("log is closed")

// segmentLog appends records and syncs them from time to time.
type segmentLog struct {
	file   syncFile
	ticker *time.Ticker
}

func openLog(f syncFile, every time.Duration) *segmentLog {
	l := &segmentLog{file: f, ticker: time.NewTicker(every)}
	go l.syncer()
	return l
}

func (l *segmentLog) syncer() {
	for range l.ticker.C {
		f := l.file //race:segmentLog.file
		if f == nil {
			return
		}
		_ = f.Sync()
	}
}

// Write appends a record.
func (l *segmentLog) Write(p []byte) (int, error) {
	if l.file == nil {
		return 0, errClosed
	}
	return l.file.Write(p)
}

// Close syncs for the last time.
func (l *segmentLog) Close() error {
	err := l.file.Sync()
	l.file = nil //race:segmentLog.file
	return err
}
