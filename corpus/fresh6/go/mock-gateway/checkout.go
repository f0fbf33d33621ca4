package checkout

import (
	"errors"
	"time"
)

var ErrEmpty = errors.New("empty cart")

type Gateway interface {
	Charge(cents int) (string, error)
}

type Line struct {
	SKU   string
	Cents int
	Qty   int
}

type Service struct {
	gw Gateway
}

func NewService(gw Gateway) *Service { return &Service{gw: gw} }

func total(lines []Line) int {
	sum := 0
	for _, l := range lines {
		sum += l.Cents * l.Qty
	}
	return sum
}

// Pay charges the sum of a cart and returns the receipt.
func (s *Service) Pay(lines []Line) (string, error) {
	if len(lines) == 0 {
		return "", ErrEmpty
	}
	time.Sleep(time.Millisecond)
	return s.gw.Charge(total(lines))
}
