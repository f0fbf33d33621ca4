package geo

import (
	"testing"
	"time"
)

// fleet reports where its cars are.
type fleet struct {
	index *Index[uint64]
	cars  []string
}

func (f *fleet) drive(every time.Duration) {
	for i, car := range f.cars {
		time.Sleep(every)
		f.index.Insert(Point[uint64]{At: uint64(97 * (len(f.cars) - i)), Name: car})
	}
}

func TestQueryWhileCarsMove(t *testing.T) {
	x := NewIndex[uint64](16)
	x.Insert(Point[uint64]{At: 500, Name: "depot"})
	x.Insert(Point[uint64]{At: 400, Name: "garage"})
	f := &fleet{index: x, cars: []string{"red", "blue", "green"}}
	go f.drive(3 * time.Millisecond)
	near := All(Within[uint64](0, 450), Within[uint64](90, 900))
	for i := 0; i < 4; i++ {
		time.Sleep(4 * time.Millisecond)
		if got := Names(x, near); len(got) > 4 {
			t.Fatalf("got %v", got)
		}
	}
}
