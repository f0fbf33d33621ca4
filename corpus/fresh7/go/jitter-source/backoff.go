package main

import (
	"errors"
	"fmt"
	"math/rand"
	"sync"
	"time"
)

// backoff returns growing delays with jitter.
type backoff struct {
	base time.Duration
	max  time.Duration
	rnd  *rand.Rand
}

func (b *backoff) next(attempt int) time.Duration {
	d := b.base << uint(attempt)
	if d > b.max {
		d = b.max
	}
	return d/2 + time.Duration(b.rnd.Int63n(int64(d))) //race:backoff.rnd
}

type connector struct {
	name    string
	backoff *backoff
	dial    func(name string, attempt int) error
}

func (c *connector) connect(attempts int) error {
	var err error
	for i := 0; i < attempts; i++ {
		if err = c.dial(c.name, i); err == nil {
			return nil
		}
		time.Sleep(c.backoff.next(i))
	}
	return fmt.Errorf("%s: %w", c.name, err)
}

func main() {
	b := &backoff{base: 100 * time.Microsecond, max: time.Millisecond, rnd: rand.New(rand.NewSource(7))}
	refused := func(string, int) error { return errors.New("refused") }
	var wg sync.WaitGroup
	for _, name := range []string{"east", "west"} {
		c := &connector{name: name, backoff: b, dial: refused}
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = c.connect(2)
		}()
	}
	wg.Wait()
	fmt.Println("gave up")
}
