package hooks

import (
	"context"
	"testing"
)

func TestDeliverAll(t *testing.T) {
	var got []Event
	d := NewDispatcher(2)
	d.Handle("paid", func(ctx context.Context, e Event) error {
		got = append(got, e) //race:got
		return nil
	})
	var events []Event
	for id := 1; id <= 6; id++ {
		events = append(events, Event{"paid", id})
	}
	if err := d.Deliver(context.Background(), events...); err != nil {
		t.Fatal(err)
	}
	if len(got) > len(events) {
		t.Errorf("%d events delivered", len(got))
	}
}
