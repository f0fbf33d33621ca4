package blob

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrThrottled is what the store says under load.
var ErrThrottled = errors.New("slow down")

// Store is the object store's API.
type Store interface {
	Begin(key string) (string, error)
	PutPart(id string, n int, data []byte) (string, error)
	Complete(id string, tags []string) error
}

// Upload sends data in parts of the given size.
func Upload(s Store, key string, data []byte, size int) error {
	id, err := s.Begin(key)
	if err != nil {
		return fmt.Errorf("begin %s: %w", key, err)
	}
	count := (len(data) + size - 1) / size
	tags := make([]string, count)
	var wg sync.WaitGroup
	for n := 0; n < count; n++ {
		from, to := n*size, (n+1)*size
		if to > len(data) {
			to = len(data)
		}
		wg.Add(1)
		go func(n int, part []byte) {
			defer wg.Done()
			tags[n], err = s.PutPart(id, n, part) //race:Upload.err
			if err != nil {                       //race:Upload.err
				time.Sleep(time.Millisecond)
				tags[n], err = s.PutPart(id, n, part) //race:Upload.err
			}
		}(n, data[from:to])
	}
	wg.Wait()
	if err != nil {
		return err
	}
	return s.Complete(id, tags)
}
