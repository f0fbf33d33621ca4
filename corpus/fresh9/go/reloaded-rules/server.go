package main

import (
	"fmt"
	"strings"
	"time"

	"example.com/proxy/acl/rules"
)

type server struct {
	active  *rules.Set
	reloads int
}

func (s *server) reload(text string) error {
	s.reloads++
	next, err := rules.Parse(s.reloads, strings.NewReader(text))
	if err != nil {
		return fmt.Errorf("reload: %w", err)
	}
	s.active = next //race:server.active
	return nil
}

func (s *server) serve(path string) int {
	set := s.active //race:server.active
	if !set.Allows(path) {
		return 403
	}
	return 200
}

// watch polls a file's content, as the real one does with its mtime.
func (s *server) watch(texts []string, done chan<- struct{}) {
	defer close(done)
	for _, t := range texts {
		time.Sleep(2 * time.Millisecond)
		if err := s.reload(t); err != nil {
			fmt.Println(err)
		}
	}
}
