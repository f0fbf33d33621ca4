package tailor

import (
	"testing"
	"time"
)

func TestDay(t *testing.T) {
	shop := &Shop{New("measure", "cut", "sew")}
	buttons := Order{"Vera", Step{"buttons", 2 * time.Millisecond}}
	lining := Order{"Otto", Step{"lining", 3 * time.Millisecond}}
	if work := shop.Day(buttons, lining); len(work) != 2 {
		t.Fatal(work)
	}
}
