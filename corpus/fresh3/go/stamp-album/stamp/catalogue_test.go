package stamp

import (
	"testing"
	"time"
)

type dealer time.Duration

func (d dealer) Price(s Stamp) int {
	time.Sleep(time.Duration(d))
	return 2020 - s.Year
}

func value(c *Catalogue, albums ...Album) int {
	sums := make(chan int, len(albums))
	for _, a := range albums {
		go func(a Album) {
			sums <- a.Value(c)
			time.Sleep(8 * time.Millisecond)
		}(a)
		time.Sleep(3 * time.Millisecond)
	}
	total := 0
	for range albums {
		total += <-sums
	}
	return total
}

func TestTwoAlbums(t *testing.T) {
	c := NewCatalogue(dealer(2 * time.Millisecond))
	ada := Album{"ada", []Stamp{{"DE", 1949}}}
	max := Album{"max", []Stamp{{"FR", 1960}}}
	if total := value(c, ada, max); total != 131 {
		t.Fatal(total)
	}
}
