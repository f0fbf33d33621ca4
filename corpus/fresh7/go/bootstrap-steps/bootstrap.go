package main

import (
	"errors"
	"fmt"
	"time"
)

type dependency struct {
	name string
	cost time.Duration
	fail bool
}

func (d dependency) open() error {
	time.Sleep(d.cost)
	if d.fail {
		return errors.New(d.name + ": connection refused")
	}
	return nil
}

type service struct {
	db    dependency
	cache dependency
	bus   dependency
	ready bool
}

func (s *service) warm() error { return s.cache.open() }

// start opens what the service needs; warming the cache happens meanwhile.
func (s *service) start() error {
	err := s.db.open()
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	warmed := make(chan struct{})
	go func() {
		defer close(warmed)
		if err = s.warm(); err != nil { //race:err
			fmt.Println("cache stays cold:", err) //race:err
		}
	}()
	if err = s.bus.open(); err != nil { //race:err
		return fmt.Errorf("bus: %w", err)
	}
	<-warmed
	s.ready = true
	return nil
}

func main() {
	s := &service{
		db:    dependency{name: "db"},
		cache: dependency{name: "cache", cost: time.Millisecond},
		bus:   dependency{name: "bus", cost: 2 * time.Millisecond},
	}
	fmt.Println(s.start(), s.ready)
}
