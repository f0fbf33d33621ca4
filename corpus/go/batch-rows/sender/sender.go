// Package sender sends batches.
package sender

import "github.com/deadheat-corpus/batch/batch"

// Sender fills and sends a batch.
type Sender struct {
	batch batch.Batch
}

// Offer takes rows.
func (s *Sender) Offer(ids ...int) {
	for _, id := range ids {
		s.take(id)
	}
}

func (s *Sender) take(id int) {
	s.batch.Add(id)
}

// Flush tells how much is left to send.
func (s *Sender) Flush() int {
	return s.remaining()
}

func (s *Sender) remaining() int {
	return s.batch.Left()
}
