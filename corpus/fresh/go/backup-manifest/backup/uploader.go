// Package backup copies files into a bucket.
package backup

import (
	"sync"
	"time"
)

// Bucket takes objects.
type Bucket interface {
	Put(key string, data []byte) error
}

// Uploader splits data into parts.
type Uploader struct {
	Bucket      Bucket
	PartSize    int
	Concurrency int
}

type piece struct {
	number int
	data   []byte
}

// Upload writes data and returns its manifest.
func (u *Uploader) Upload(name string, data []byte) (*Manifest, error) {
	manifest := NewManifest(name)
	pieces := make(chan piece)
	errs := make(chan error, u.Concurrency)
	var wg sync.WaitGroup
	for i := 0; i < u.Concurrency; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs <- u.worker(manifest, pieces)
		}()
	}
	for number := 0; len(data) > 0; number++ {
		size := u.PartSize
		if size > len(data) {
			size = len(data)
		}
		pieces <- piece{number, data[:size]}
		data = data[size:]
	}
	close(pieces)
	wg.Wait()
	for i := 0; i < u.Concurrency; i++ {
		if err := <-errs; err != nil {
			return nil, err
		}
	}
	return manifest, nil
}

func (u *Uploader) worker(manifest *Manifest, pieces <-chan piece) error {
	for p := range pieces {
		time.Sleep(time.Millisecond)
		key := manifest.Append(p.number, len(p.data))
		if err := u.Bucket.Put(key, p.data); err != nil {
			return err
		}
	}
	return nil
}
