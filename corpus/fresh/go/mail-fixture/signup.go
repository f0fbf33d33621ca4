// Package signup lets people make accounts.
package signup

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// ErrAddress is returned for something that is no address.
var ErrAddress = errors.New("signup: bad address")

// Mailer sends mail.
type Mailer interface {
	Send(to, text string) error
}

// Service makes accounts.
type Service struct {
	mailer   Mailer
	mu       sync.Mutex
	accounts map[string]time.Time
}

// New returns a service without accounts.
func New(m Mailer) *Service {
	return &Service{mailer: m, accounts: make(map[string]time.Time)}
}

// Register makes an account and says so by mail.
func (s *Service) Register(address string) error {
	address = strings.ToLower(strings.TrimSpace(address))
	if !strings.Contains(address, "@") {
		return fmt.Errorf("%w: %q", ErrAddress, address)
	}
	s.mu.Lock()
	s.accounts[address] = time.Now()
	s.mu.Unlock()
	return s.mailer.Send(address, "welcome")
}
