package main

import (
	"fmt"
	"sync"

	"example.com/exchange/book/book"
)

type order struct{ price, volume int64 }

type feed struct {
	name   string
	orders []order
}

func (f feed) replay(into *book.Book) {
	for _, o := range f.orders {
		into.Place(o.price, o.volume)
	}
}

func main() {
	bids := book.New(99, 100, 101)
	feeds := []feed{
		{"a", []order{{99, 5}, {100, 7}, {101, 1}}},
		{"b", []order{{100, 2}, {101, 9}, {99, 4}}},
	}
	var wg sync.WaitGroup
	for _, f := range feeds {
		wg.Add(1)
		go func(f feed) {
			defer wg.Done()
			f.replay(&bids)
		}(f)
	}
	wg.Wait()
	fmt.Println(bids.Depth() > 0)
}
