// Package pricing says what a cart costs.
package pricing

import (
	"errors"
	"strings"
)

// Line is one article of a cart.
type Line struct {
	SKU   string
	Cents int
	Count int
}

// Request is what a shop asks.
type Request struct {
	Customer string
	Currency string
	Lines    []Line
}

// Quote is the answer.
type Quote struct {
	Total    int
	Currency string
	Discount int
}

var rates = map[string]int{"EUR": 100, "USD": 108, "CHF": 94}

var errCurrency = errors.New("pricing: unknown currency")

// Price computes the quote for a request.
func Price(r *Request) (Quote, error) {
	rate, ok := rates[r.Currency] //race:baseRequest.Currency
	if !ok {
		return Quote{}, errCurrency
	}
	sum := 0
	for _, line := range r.Lines {
		sum += line.Cents * line.Count
	}
	q := Quote{Total: sum * rate / 100}
	q.Discount = discount(r, q.Total)
	return q, nil
}

func discount(r *Request, total int) int {
	if strings.HasPrefix(r.Customer, "vip-") { //race:baseRequest.Customer
		return total / 10
	}
	return 0
}
