package main

import (
	"context"
	"fmt"
	"time"

	"github.com/deadheat-corpus/quorumread/quorum"
)

func replicas(lags ...time.Duration) (all []quorum.Replica) {
	for i, lag := range lags {
		all = append(all, quorum.Fixed{Answer: quorum.Answer{Version: i + 1}, Lag: lag * time.Millisecond})
	}
	return all
}

func main() {
	got := quorum.Read(context.Background(), "k", replicas(1, 2, 10))
	time.Sleep(16 * time.Millisecond)
	fmt.Println(quorum.Latest(got).Version > 0)
}
