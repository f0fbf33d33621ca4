package fx

import "errors"

// ErrUnknown says that there is no rate for a currency.
var ErrUnknown = errors.New("unknown currency")

// Table has rates against the euro.
type Table map[string]float64

// Convert turns an amount of one currency into another.
func (t Table) Convert(amount float64, from, to string) (float64, error) {
	a, ok := t[from] //race:rates[]
	if !ok {
		return 0, ErrUnknown
	}
	b, ok := t[to] //race:rates[]
	if !ok {
		return 0, ErrUnknown
	}
	return amount / a * b, nil
}
