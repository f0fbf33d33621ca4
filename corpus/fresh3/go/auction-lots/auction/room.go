package auction

import (
	"sync"
	"time"
)

// Room is where people bid.
type Room struct {
	lot      *Lot
	seated   sync.WaitGroup
	hesitate time.Duration
}

// NewRoom returns a room in which bidders hesitate that long.
func NewRoom(lot *Lot, hesitate time.Duration) *Room {
	return &Room{lot: lot, hesitate: hesitate}
}

// Seat lets a bidder in.
func (r *Room) Seat(paddle int, euros ...int) {
	r.seated.Add(1)
	go r.bidder(paddle, euros)
}

func (r *Room) bidder(paddle int, euros []int) {
	defer r.seated.Done()
	r.lot.Ask("is it old?")
	for _, euro := range euros {
		r.lot.Offer(Bid{paddle, euro})
		time.Sleep(r.hesitate)
	}
}

// Sell ends the sale when the time is up and returns the best bid.
func (r *Room) Sell(after time.Duration) Bid {
	time.Sleep(after)
	r.lot.Hammer()
	var best Bid
	for b := range r.lot.bids {
		if b.Euro > best.Euro {
			best = b
		}
	}
	return best
}
