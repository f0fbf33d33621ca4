// Package quorum reads from several replicas.
package quorum

import (
	"context"
	"time"
)

// Answer is what one replica says.
type Answer struct {
	Version int
	Value   string
}

// Replica answers after some time.
type Replica interface {
	Query(ctx context.Context, key string) Answer
}

// Fixed is a replica that always says the same.
type Fixed struct {
	Answer
	Lag time.Duration
}

// Query gives the answer after the lag.
func (f Fixed) Query(ctx context.Context, key string) Answer {
	time.Sleep(f.Lag)
	return f.Answer
}

// Read asks all replicas and returns when a majority has answered.
func Read(ctx context.Context, key string, replicas []Replica) []Answer {
	answers := make([]Answer, len(replicas))
	votes := make(chan int, len(replicas))
	for i, r := range replicas {
		go func(i int, r Replica) {
			answers[i] = r.Query(ctx, key) //race:Read.answers[]
			votes <- i
			time.Sleep(30 * time.Millisecond)
		}(i, r)
	}
	for need := len(replicas)/2 + 1; need > 0; need-- {
		<-votes
	}
	return answers
}

// Latest gives the answer with the highest version.
func Latest(answers []Answer) (best Answer) {
	for i := range answers {
		if answers[i].Version > best.Version { //race:Read.answers[]
			best = answers[i] //race:Read.answers[]
		}
	}
	return best
}
