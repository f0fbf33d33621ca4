// Package accounts is a service.
package accounts

// Service counts what it does.
type Service struct {
	opened int
	closed int
}

// Open opens n accounts.
func (s *Service) Open(n int) int {
	s.opened += n //race:Accounts.opened
	return n
}

// Close closes n accounts.
func (s *Service) Close(n int) int {
	s.closed += n //race:Accounts.closed
	return n
}
