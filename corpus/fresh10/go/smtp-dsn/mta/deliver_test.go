package mta

import (
	"context"
	"errors"
	"testing"
	"time"
)

type relay struct{ answer error }

func (r relay) Send(ctx context.Context, host string, m Message) error {
	time.Sleep(time.Millisecond)
	return r.answer
}

type disk struct{ full bool }

func (d disk) File(m Message) error {
	time.Sleep(time.Millisecond)
	if d.full {
		return errors.New("disk full")
	}
	return nil
}

func TestDeliverWithFullDisk(t *testing.T) {
	a := &Agent{Transport: relay{}, Archive: disk{full: true}}
	m := Message{From: "ops@example.com", To: "dev@example.org", Body: "hello"}
	_ = a.Deliver(context.Background(), m)
}

func TestNoHost(t *testing.T) {
	a := &Agent{Transport: relay{}, Archive: disk{}}
	if err := a.Deliver(context.Background(), Message{To: "nobody"}); !errors.Is(err, errNoHost) {
		t.Errorf("got %v", err)
	}
}
