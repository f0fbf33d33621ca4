// Package batch sends records in groups.
package batch

import (
	"sync"
	"sync/atomic"
)

// Record is one thing to send.
type Record struct {
	Key   string
	Value []byte
}

// Transport carries batches.
type Transport interface {
	Send(topic string, records []Record) error
}

// Sender sends what was collected.
type Sender struct {
	transport Transport
	sent      int64
	failed    int64
}

// NewSender returns a sender.
func NewSender(t Transport) *Sender {
	return &Sender{transport: t}
}

// SendAll sends one batch per topic, all at once.
func (s *Sender) SendAll(batches map[string][]Record) (int64, int64) {
	var wg sync.WaitGroup
	for topic, batch := range batches { //race:SendAll.topic,SendAll.batch
		wg.Add(1)
		go func() {
			defer wg.Done()
			records := batch //race:SendAll.batch
			if len(records) == 0 {
				return
			}
			s.count(s.transport.Send(topic, records)) //race:SendAll.topic
		}()
	}
	wg.Wait()
	return atomic.LoadInt64(&s.sent), atomic.LoadInt64(&s.failed)
}

func (s *Sender) count(err error) {
	if err != nil {
		atomic.AddInt64(&s.failed, 1)
		return
	}
	atomic.AddInt64(&s.sent, 1)
}
