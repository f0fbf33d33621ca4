package tenants

import (
	"errors"
	"strings"
)

var ErrExists = errors.New("tenant exists")

type Tenant struct {
	ID   string
	Plan string
}

type Repo interface {
	Put(Tenant)
	Get(id string) (Tenant, bool)
}

type Service struct{ repo Repo }

func NewService(r Repo) *Service { return &Service{r} }

func (s *Service) Create(id, plan string) (Tenant, error) {
	id = strings.ToLower(strings.TrimSpace(id))
	if _, ok := s.repo.Get(id); ok {
		return Tenant{}, ErrExists
	}
	t := Tenant{ID: id, Plan: plan}
	s.repo.Put(t)
	return t, nil
}
