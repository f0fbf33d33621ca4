package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

type object struct {
	key  string
	data []byte
}

type bucket interface {
	Region() string
	Put(ctx context.Context, o object) error
}

var errThrottled = errors.New("throttled")

// copier keeps buckets in several regions alike.
type copier struct {
	source  map[string]object
	buckets []bucket
}

func (c *copier) load(key string) (object, error) {
	o, ok := c.source[key]
	if !ok {
		return object{}, errors.New("no such key: " + key)
	}
	return o, nil
}

func (c *copier) syncKey(ctx context.Context, key string) error {
	o, err := c.load(key)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for _, b := range c.buckets {
		b := b
		wg.Add(1)
		go func() {
			defer wg.Done()
			err = b.Put(ctx, o)               //race:err
			if errors.Is(err, errThrottled) { //race:err
				time.Sleep(time.Millisecond)
				err = b.Put(ctx, o) //race:err
			}
		}()
	}
	wg.Wait()
	return err
}
