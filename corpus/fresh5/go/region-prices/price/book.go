package price

import (
	"sync"
	"time"
)

type key struct {
	region, plan string
}

// Book has the prices of all plans.
type Book struct {
	mu    sync.RWMutex
	base  map[string]float64
	final map[key]float64
}

// NewBook makes a price book from base prices.
func NewBook(base map[string]float64) *Book {
	return &Book{base: base, final: map[key]float64{}}
}

// Quote is the price of a plan in a region.
func (b *Book) Quote(region, plan string) float64 {
	k := key{region, plan}
	b.mu.RLock()
	defer b.mu.RUnlock()
	p, ok := b.final[k] //race:Book.final[]
	if !ok {
		p = b.base[plan] * surcharge(region)
		b.final[k] = p //race:Book.final[]
	}
	return p
}

// SetBase changes a base price.
func (b *Book) SetBase(plan string, p float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.base[plan] = p
	b.final = map[key]float64{}
}

func surcharge(region string) float64 {
	time.Sleep(time.Millisecond)
	return 1 + float64(len(region))/100
}
