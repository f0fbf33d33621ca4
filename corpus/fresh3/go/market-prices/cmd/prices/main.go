package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/marketprices/market"
)

func main() {
	feed := market.NewFeed(6*time.Millisecond, market.Quote{Fruit: "pear", Cents: 120}, market.Quote{Fruit: "fig", Cents: 300})
	span := market.Range(feed, "pear", 4*time.Millisecond)
	feed.Wait()
	fmt.Println(span.Low, span.High)
}
