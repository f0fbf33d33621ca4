package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var errReadOnly = errors.New("read only")

type backend struct {
	mu       sync.Mutex
	name     string
	readOnly bool
	rows     map[string]string
	delay    time.Duration
}

func (b *backend) put(key, value string) error {
	time.Sleep(b.delay)
	if b.readOnly {
		return fmt.Errorf("%s: %w", b.name, errReadOnly)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows[key] = value
	return nil
}

// migration writes to the old store and to the new one.
type migration struct {
	primary, shadow *backend
	diverged        chan string
}

func (m *migration) put(key, value string) error {
	err := m.primary.put(key, value)
	go func() {
		if err = m.shadow.put(key, value); err != nil { //race:err
			m.diverged <- key
		}
	}()
	time.Sleep(m.primary.delay)
	if err != nil { //race:err
		return err //race:err
	}
	return nil
}

func main() {
	m := &migration{
		primary:  &backend{name: "old", rows: map[string]string{}, delay: 500 * time.Microsecond},
		shadow:   &backend{name: "new", rows: map[string]string{}, readOnly: true},
		diverged: make(chan string, 8),
	}
	for _, key := range []string{"a", "b", "c"} {
		_ = m.put(key, "1")
	}
	<-m.diverged
	fmt.Println("written", len(m.primary.rows))
}
