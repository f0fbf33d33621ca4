package main

import (
	"fmt"
	"time"
)

func main() {
	svc := &quotes{
		carriers: []carrier{
			{"post", 900, 2 * time.Millisecond},
			{"courier", 1400, 9 * time.Millisecond},
		},
		limit: 5 * time.Millisecond,
	}
	q := svc.Best(parcel{grams: 1200, to: "NO"})
	fmt.Println(invoiceLine(q))
	time.Sleep(10 * time.Millisecond)
}

func invoiceLine(q *bestQuote) string {
	cents := q.price["courier"] + q.price["post"] //race:bestQuote.price[]
	return fmt.Sprintf("shipping %d.%02d", cents/100, cents%100)
}
