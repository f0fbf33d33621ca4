// Package stamp values collections.
package stamp

import "time"

// Stamp is a stamp.
type Stamp struct {
	Country string
	Year    int
}

// Dealer knows prices, and takes time to tell.
type Dealer interface {
	Price(Stamp) int
}

// Catalogue asks a dealer and remembers.
type Catalogue struct {
	dealer Dealer
	prices map[Stamp]int
}

// NewCatalogue returns a catalogue that knows nothing yet.
func NewCatalogue(d Dealer) *Catalogue {
	return &Catalogue{dealer: d, prices: make(map[Stamp]int)}
}

// Price is what a stamp is worth.
func (c *Catalogue) Price(s Stamp) int {
	price, known := c.prices[s] //race:Catalogue.prices[]
	if !known {
		price = c.dealer.Price(s)
		c.remember(s, price)
	}
	return price
}

func (c *Catalogue) remember(s Stamp, price int) {
	c.prices[s] = price //race:Catalogue.prices[]
}

// Album is a collection.
type Album struct {
	Owner  string
	Stamps []Stamp
}

// Value is the worth of an album.
func (a Album) Value(c *Catalogue) int {
	sum := 0
	for _, s := range a.Stamps {
		sum += c.Price(s)
		time.Sleep(time.Millisecond)
	}
	return sum
}
