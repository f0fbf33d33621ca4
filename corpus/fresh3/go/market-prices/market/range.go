package market

import "time"

// Span is from the lowest to the highest price.
type Span struct {
	Low, High int
}

// Range watches a fruit for some time.
func Range(f *Feed, fruit string, watch time.Duration) Span {
	low, high := 1<<30, 0
	f.Each(fruit, func(q Quote) {
		low = min(low, q.Cents)   //race:Range.low
		high = max(high, q.Cents) //race:Range.high
	})
	time.Sleep(watch)
	var span Span
	span.Low = low   //race:Range.low
	span.High = high //race:Range.high
	return span
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}
