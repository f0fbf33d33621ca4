package profile

import (
	"context"
	"fmt"
)

// Store finds raw records.
type Store interface {
	Load(ctx context.Context, key string) (map[string]string, error)
}

// Service reads profiles.
type Service struct{ store Store }

// NewService returns a service over a store.
func NewService(s Store) *Service { return &Service{store: s} }

// DisplayName returns the name to show for a user.
func (s *Service) DisplayName(ctx context.Context, id string) (string, error) {
	rec, err := s.store.Load(ctx, "profile/"+id)
	if err != nil {
		return "", fmt.Errorf("profile %s: %w", id, err)
	}
	if nick := rec["nick"]; nick != "" {
		return nick, nil
	}
	return rec["name"], nil
}
