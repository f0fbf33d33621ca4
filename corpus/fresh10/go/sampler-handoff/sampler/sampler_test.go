package sampler

import (
	"context"
	"testing"
	"time"
)

func TestBatchesHaveTheirSize(t *testing.T) {
	s := New(5)
	in := make(chan Reading)
	go func() {
		defer close(in)
		for i := 0; i < 20; i++ {
			in <- Reading{"boiler", 60 + float64(i%3)}
			time.Sleep(50 * time.Microsecond)
		}
	}()
	failed := make(chan error, 1)
	go func() { failed <- s.Run(context.Background(), in) }()
	for b := range s.Batches() {
		time.Sleep(100 * time.Microsecond)
		if b.Count > 5 { //race:Batch.Count
			t.Errorf("a batch of %d", b.Count)
		}
	}
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
}
