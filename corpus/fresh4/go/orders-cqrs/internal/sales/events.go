package sales

import "time"

// OrderPlaced says that an order was placed.
type OrderPlaced struct {
	Sequence uint64
	Region   string
	Amount   int64
	Effort   time.Duration
}

// SequenceNumber is the position of the event in its stream.
func (event OrderPlaced) SequenceNumber() uint64 { return event.Sequence }
