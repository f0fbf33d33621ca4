// Package signup lets people in.
package signup

import (
	"errors"
	"strings"
)

// Mailer sends mail.
type Mailer interface {
	Mail(to, subject string) error
}

// Service registers accounts.
type Service struct {
	mailer Mailer
	domain string
}

// New makes a service for a domain.
func New(m Mailer, domain string) *Service { return &Service{m, domain} }

// ErrAddress is returned for what is no address.
var ErrAddress = errors.New("not an address")

// Register sends a welcome.
func (s *Service) Register(address string) error {
	user, host, ok := strings.Cut(address, "@")
	if !ok || user == "" || host == "" {
		return ErrAddress
	}
	subject := "Welcome to " + s.domain
	if host == s.domain {
		subject = "Welcome, colleague"
	}
	return s.mailer.Mail(address, subject)
}
