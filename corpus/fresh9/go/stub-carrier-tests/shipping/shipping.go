package shipping

import (
	"errors"
	"fmt"
	"sync"
)

// Parcel to be sent.
type Parcel struct {
	Order  string
	Grams  int
	Region string
}

// Carrier books parcels.
type Carrier interface {
	Book(p Parcel) (string, error)
}

// ErrHeavy says that nobody takes it.
var ErrHeavy = errors.New("parcel is too heavy")

// Service books with the carrier of the region.
type Service struct {
	carriers map[string]Carrier
	fallback Carrier
}

// NewService has one carrier for all regions but those added.
func NewService(fallback Carrier) *Service {
	return &Service{carriers: map[string]Carrier{}, fallback: fallback}
}

func (s *Service) carrier(region string) Carrier {
	if c, ok := s.carriers[region]; ok {
		return c
	}
	return s.fallback
}

type booking struct {
	order, label string
	err          error
}

// BookAll books parcels side by side and returns labels by order.
func (s *Service) BookAll(parcels []Parcel) (map[string]string, error) {
	results := make(chan booking)
	var wg sync.WaitGroup
	for _, p := range parcels {
		wg.Add(1)
		go func(p Parcel) {
			defer wg.Done()
			if p.Grams > 30_000 {
				results <- booking{p.Order, "", ErrHeavy}
				return
			}
			label, err := s.carrier(p.Region).Book(p)
			results <- booking{p.Order, label, err}
		}(p)
	}
	go func() {
		wg.Wait()
		close(results)
	}()
	labels := map[string]string{}
	var failed error
	for b := range results {
		if b.err != nil {
			failed = fmt.Errorf("order %s: %w", b.order, b.err)
			continue
		}
		labels[b.order] = b.label
	}
	return labels, failed
}
