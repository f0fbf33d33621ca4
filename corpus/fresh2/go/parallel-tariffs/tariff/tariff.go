// Package tariff says what a parcel costs; a quoter serves one till.
package tariff

import "errors"

// ErrHeavy is returned for parcels that nobody carries.
var ErrHeavy = errors.New("tariff: too heavy")

// Zone is where a parcel goes.
type Zone string

// Quoter knows prices.
type Quoter struct {
	base     map[Zone]int
	lastZone Zone
	quoted   int
}

// NewQuoter returns a quoter with the prices of a kilogram.
func NewQuoter(base map[Zone]int) *Quoter {
	return &Quoter{base: base}
}

// Quote returns the price of a parcel.
func (q *Quoter) Quote(zone Zone, grams int) (int, error) {
	if grams > 30000 {
		return 0, ErrHeavy
	}
	q.remember(zone)
	return q.base[zone] * (1 + grams/1000), nil
}

func (q *Quoter) remember(zone Zone) {
	q.lastZone = zone //race:Quoter.lastZone
	q.quoted++        //race:Quoter.quoted
}
