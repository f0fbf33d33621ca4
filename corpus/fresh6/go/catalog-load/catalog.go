package main

import (
	"fmt"
	"sync"
	"time"
)

type product struct {
	sku   string
	price int
}

type source interface {
	Products() ([]product, error)
}

// Catalog loads its products with the first question.
type Catalog struct {
	src    source
	mu     sync.Mutex
	loaded bool
	bySKU  map[string]product
}

func NewCatalog(src source) *Catalog { return &Catalog{src: src} }

func (c *Catalog) ensure() error {
	if c.loaded { //race:Catalog.loaded
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded {
		return nil
	}
	list, err := c.src.Products()
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	c.bySKU = make(map[string]product, len(list)) //race:Catalog.bySKU
	for _, p := range list {
		c.bySKU[p.sku] = p //race:Catalog.bySKU
	}
	c.loaded = true //race:Catalog.loaded
	return nil
}

func (c *Catalog) Price(sku string) (int, error) {
	if err := c.ensure(); err != nil {
		return 0, err
	}
	p, ok := c.bySKU[sku] //race:Catalog.bySKU
	if !ok {
		return 0, fmt.Errorf("no product %s", sku)
	}
	return p.price, nil
}

type slowSource struct{}

func (slowSource) Products() ([]product, error) {
	time.Sleep(2 * time.Millisecond)
	return []product{{"A1", 100}, {"B2", 250}}, nil
}
