package main

import (
	"errors"
	"sync"
	"time"
)

type refund struct {
	id    string
	cents int
}

var errLimit = errors.New("above the limit")

type gateway struct {
	latency time.Duration
	limit   int
}

func (g gateway) send(r refund) error {
	time.Sleep(g.latency)
	if r.cents > g.limit {
		return errLimit
	}
	return nil
}

// refundAll returns the refunds that failed and the last error.
func (g gateway) refundAll(batch []refund) ([]string, error) {
	var (
		err    error
		failed []string
		wg     sync.WaitGroup
	)
	wg.Add(len(batch))
	for i := range batch {
		go func(r *refund) {
			defer wg.Done()
			err = g.send(*r)              //race:err
			if errors.Is(err, errLimit) { //race:err
				failed = append(failed, r.id) //race:failed
			}
		}(&batch[i])
	}
	wg.Wait()
	return failed, err
}
