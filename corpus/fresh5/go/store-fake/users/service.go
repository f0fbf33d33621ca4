package users

import "errors"

// ErrTaken says that a name is in use.
var ErrTaken = errors.New("name is taken")

// Store keeps users.
type Store interface {
	Has(name string) bool
	Put(name, mail string)
}

// Service registers users.
type Service struct {
	store Store
}

// NewService makes a service over a store.
func NewService(s Store) *Service {
	return &Service{store: s}
}

// Register takes a user in.
func (s *Service) Register(name, mail string) error {
	if s.store.Has(name) {
		return ErrTaken
	}
	s.store.Put(name, mail)
	return nil
}
