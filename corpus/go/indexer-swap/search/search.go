// Package search answers queries.
package search

import "github.com/deadheat-corpus/indexer/index"

// Service answers queries.
type Service struct {
	index *index.Index
}

// New returns a service.
func New() *Service {
	return &Service{index.New()}
}

// Refresh builds the index again.
func (s *Service) Refresh(texts ...string) {
	s.index.Rebuild(texts...)
}

// Query answers one query.
func (s *Service) Query(q string) int {
	hits := s.lookup(q)
	return len(hits)
}

func (s *Service) lookup(term string) []int {
	return s.index.Search(term)
}

// Status tells how far a refresh is.
func (s *Service) Status() int {
	done, total := s.index.Progress()
	return total - done
}
