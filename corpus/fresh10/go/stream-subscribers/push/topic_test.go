package push

import (
	"context"
	"testing"
	"time"
)

type score struct{ home, away int }

func TestSubscribersComeLate(t *testing.T) {
	var topic Topic[score]
	first := topic.Subscribe(64)
	published := make(chan struct{})
	go func() {
		defer close(published)
		for i := 0; i < 20; i++ {
			topic.Publish(score{i, 0})
			time.Sleep(100 * time.Microsecond)
		}
	}()
	for i := 0; i < 5; i++ {
		topic.Subscribe(64)
		time.Sleep(200 * time.Microsecond)
	}
	<-published
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if got, err := first.Next(ctx); err != nil || got.home != 0 {
		t.Errorf("%v, %v", got, err)
	}
}
