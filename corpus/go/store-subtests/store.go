package store

// Store holds the stock of one shop.
type Store struct {
	stock int
}

// Take removes n pieces.
func (s *Store) Take(n int) bool {
	if s.stock < n { //race:fixture.stock
		return false
	}
	s.stock -= n //race:fixture.stock
	return true
}
