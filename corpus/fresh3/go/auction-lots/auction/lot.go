// Package auction sells lots to the highest bidder.
package auction

// Bid is an offer.
type Bid struct {
	Paddle int
	Euro   int
}

// Lot is up for sale.
type Lot struct {
	Name      string
	bids      chan Bid
	questions chan string
}

// Open puts a lot up.
func Open(name string) *Lot {
	return &Lot{Name: name, bids: make(chan Bid, 16), questions: make(chan string, 16)}
}

// Offer makes a bid.
func (l *Lot) Offer(b Bid) {
	if b.Euro > 0 {
		l.bids <- b //race:Lot.bids
	}
}

// Ask asks the auctioneer something.
func (l *Lot) Ask(question string) {
	l.questions <- question //race:Lot.questions
}

// Hammer ends the sale.
func (l *Lot) Hammer() {
	close(l.bids)      //race:Lot.bids
	close(l.questions) //race:Lot.questions
}
