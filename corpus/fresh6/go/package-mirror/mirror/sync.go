// Package mirror keeps a copy of a package repository.
package mirror

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

var errBadPath = errors.New("bad path")

type Mirror struct {
	base string
	sem  chan struct{}
}

func New(base string, parallel int) *Mirror {
	return &Mirror{base: base, sem: make(chan struct{}, parallel)}
}

func (m *Mirror) download(path string) (int64, error) {
	m.sem <- struct{}{}
	defer func() { <-m.sem }()
	time.Sleep(500 * time.Microsecond)
	if path == "" {
		return 0, errBadPath
	}
	return int64(len(m.base) + len(path)), nil
}

func (m *Mirror) index() ([]string, error) {
	return []string{"Release"}, nil
}

// Sync downloads what the index names and the paths given, and returns the bytes.
func (m *Mirror) Sync(paths []string) (int64, error) {
	names, err := m.index()
	if err != nil {
		return 0, fmt.Errorf("index: %w", err)
	}
	paths = append(names, paths...)

	var total int64
	var wg sync.WaitGroup
	for _, p := range paths {
		wg.Add(1)
		go func(p string) {
			defer wg.Done()
			var n int64
			n, err = m.download(p) //race:err
			if err != nil {        //race:err
				return
			}
			atomic.AddInt64(&total, n)
		}(p)
	}
	wg.Wait()
	return atomic.LoadInt64(&total), err
}
