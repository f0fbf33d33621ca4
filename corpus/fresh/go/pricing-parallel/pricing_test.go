package pricing

import (
	"testing"
	"time"
)

var baseRequest = &Request{
	Customer: "c-100",
	Currency: "EUR",
	Lines:    []Line{{"mug", 990, 2}, {"tee", 1990, 1}},
}

func TestPlainCustomer(t *testing.T) {
	t.Parallel()
	time.Sleep(4 * time.Millisecond)
	q, err := Price(baseRequest)
	if err != nil || q.Total == 0 {
		t.Fatal(q, err)
	}
}

func TestDollars(t *testing.T) {
	t.Parallel()
	r := baseRequest
	r.Currency = "USD" //race:baseRequest.Currency
	q, err := Price(r)
	if err != nil || q.Total == 0 {
		t.Fatal(q, err)
	}
}

func TestVIP(t *testing.T) {
	t.Parallel()
	r := baseRequest
	r.Customer = "vip-7" //race:baseRequest.Customer
	q, err := Price(r)
	if err != nil || q.Discount == 0 {
		t.Fatal(q, err)
	}
}
