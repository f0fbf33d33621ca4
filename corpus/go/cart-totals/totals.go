package cart

import "sync"

// Line is one order line.
type Line struct {
	SKU   string
	Cents int64
}

// Totals adds up order lines by article.
type Totals struct {
	bySKU map[string]int64
}

// NewTotals returns an empty Totals.
func NewTotals() *Totals {
	return &Totals{bySKU: make(map[string]int64)}
}

// Record stores the price of one article.
func (t *Totals) Record(sku string, cents int64) {
	t.bySKU[sku] = cents //race:Totals.bySKU
}

// RecordAll records all lines of an order.
func (t *Totals) RecordAll(lines []Line) {
	var wg sync.WaitGroup
	for _, line := range lines {
		wg.Add(1)
		go func(l Line) {
			defer wg.Done()
			t.Record(l.SKU, l.Cents)
		}(line)
	}
	wg.Wait()
}
