package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

type region struct {
	name    string
	replies int
	needed  int
}

type quorumError struct {
	region string
	cause  error
}

func (q *quorumError) Error() string { return q.region + ": " + q.cause.Error() }

var errFewReplies = errors.New("too few replies")

func (r region) check() error {
	time.Sleep(50 * time.Microsecond)
	if r.replies < r.needed {
		return errFewReplies
	}
	return nil
}

// verify asks all regions, and tells of one that fails.
func verify(regions []region) error {
	var err error
	var wg sync.WaitGroup
	for _, r := range regions {
		r := r
		wg.Add(1)
		go func() {
			defer wg.Done()
			if bad := r.check(); bad != nil {
				err = &quorumError{r.name, bad} //race:err
			}
		}()
	}
	wg.Wait()
	return err
}

func main() {
	err := verify([]region{{"eu", 1, 2}, {"us", 2, 2}, {"ap", 0, 2}, {"sa", 1, 2}})
	var q *quorumError
	fmt.Println("verified", errors.As(err, &q))
}
