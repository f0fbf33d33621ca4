package shipping

import (
	"errors"
	"testing"
	"time"
)

type stubCarrier struct {
	prefix string
	calls  int
}

func (c *stubCarrier) Book(p Parcel) (string, error) {
	c.calls++ //race:stubCarrier.calls
	time.Sleep(time.Millisecond)
	return c.prefix + p.Order, nil
}

func TestBookAll(t *testing.T) {
	carrier := &stubCarrier{prefix: "L-"}
	labels, err := NewService(carrier).BookAll([]Parcel{
		{"1001", 500, "eu"}, {"1002", 1200, "eu"}, {"1003", 90, "us"}, {"1004", 90, "us"},
	})
	if err != nil || len(labels) != 4 {
		t.Fatal(labels, err)
	}
}

func TestHeavyParcel(t *testing.T) {
	carrier := &stubCarrier{}
	_, err := NewService(carrier).BookAll([]Parcel{{"1005", 31_000, "eu"}})
	if !errors.Is(err, ErrHeavy) || carrier.calls != 0 {
		t.Fatal(err, carrier.calls)
	}
}
