// Package archive packs files.
package archive

import (
	"sync"
	"time"
)

// Pack makes a file smaller.
type Pack func(name string) (size int64, err error)

// Archive is a set of packed files.
type Archive struct {
	open  sync.WaitGroup
	pack  Pack
	bytes int64
	last  string
}

// New returns an empty archive.
func New(pack Pack) *Archive {
	return &Archive{pack: pack}
}

// Add packs a file in the background.
func (a *Archive) Add(name string) {
	a.open.Add(1)
	go a.work(name)
}

func (a *Archive) work(name string) {
	var size int64
	defer func() { a.book(name, size) }()
	defer a.open.Done()
	size, _ = a.pack(name)
}

func (a *Archive) book(name string, size int64) {
	time.Sleep(2 * time.Millisecond) // the index is on disk
	a.bytes += size                  //race:Archive.bytes
	a.last = name                    //race:Archive.last
}

// Finish waits for all files.
func (a *Archive) Finish() (int64, string) {
	a.open.Wait()
	total := a.bytes //race:Archive.bytes
	last := a.last   //race:Archive.last
	return total, last
}
