// Package policy answers whether a principal may do something.
package policy

import (
	"errors"
	"strings"
	"time"
)

var ErrNotFound = errors.New("policy not found")

type Policy struct {
	Name    string
	Actions []string
	Deny    bool
}

type Store interface {
	Put(p Policy) error
	Get(name string) (Policy, error)
}

type Engine struct {
	store Store
	now   func() time.Time
}

func NewEngine(s Store) *Engine {
	return &Engine{store: s, now: time.Now}
}

// Attach checks a policy before it is kept.
func (e *Engine) Attach(p Policy) error {
	if p.Name == "" || strings.ContainsRune(p.Name, '/') {
		return errors.New("policy: bad name")
	}
	return e.store.Put(p)
}

func (e *Engine) Allowed(name, action string) (bool, error) {
	p, err := e.store.Get(name)
	if err != nil {
		return false, err
	}
	for _, a := range p.Actions {
		if a == action || a == "*" {
			return !p.Deny, nil
		}
	}
	return false, nil
}
