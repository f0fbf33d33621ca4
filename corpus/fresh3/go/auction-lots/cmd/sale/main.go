package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/auctionlots/auction"
)

func main() {
	room := auction.NewRoom(auction.Open("a clock"), 9*time.Millisecond)
	room.Seat(7, 120, 0)
	fmt.Println("sold for", room.Sell(5*time.Millisecond).Euro)
	time.Sleep(10 * time.Millisecond)
}
