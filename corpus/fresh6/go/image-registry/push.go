package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"
)

type layer struct {
	media string
	data  []byte
}

func (l layer) digest() string {
	sum := sha256.Sum256(l.data)
	return "sha256:" + hex.EncodeToString(sum[:6])
}

type remote struct {
	mu    sync.Mutex
	blobs map[string]int
}

func (r *remote) exists(digest string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.blobs[digest]
	return ok
}

func (r *remote) upload(digest string, data []byte) error {
	time.Sleep(400 * time.Microsecond)
	if len(data) == 0 {
		return errors.New("empty blob " + digest)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.blobs[digest] = len(data)
	return nil
}

type pusher struct {
	to   *remote
	tell func(string)
}

func (p *pusher) pushLayer(l layer) (int, error) {
	d := l.digest()
	if p.to.exists(d) {
		return 0, nil
	}
	if err := p.to.upload(d, l.data); err != nil {
		return 0, fmt.Errorf("layer %s: %w", d, err)
	}
	return len(l.data), nil
}

// push uploads all layers that the remote does not have.
func (p *pusher) push(layers []layer) error {
	uploaded := 0
	failed := make(chan error, len(layers))
	var wg sync.WaitGroup
	for _, l := range layers {
		l := l
		wg.Add(1)
		go func() {
			defer wg.Done()
			n, err := p.pushLayer(l)
			if err != nil {
				failed <- err
				return
			}
			uploaded += n //race:uploaded
		}()
	}
	time.Sleep(500 * time.Microsecond)
	p.tell(fmt.Sprintf("%d bytes so far", uploaded)) //race:uploaded
	wg.Wait()
	close(failed)
	p.tell(fmt.Sprintf("%d bytes", uploaded))
	return <-failed
}
