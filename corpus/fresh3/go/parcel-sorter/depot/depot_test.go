package depot

import (
	"testing"
	"time"
)

type letters struct {
	takes time.Duration
}

func (l letters) Tell(string, string) error {
	time.Sleep(l.takes)
	return nil
}

func TestThereAndBack(t *testing.T) {
	d := New(letters{2 * time.Millisecond}, 4*time.Millisecond)
	p := Parcel{ID: "JJD01", Grams: 1200, Sender: "lea"}
	if grams, err := d.Intake(p); err != nil || grams != 1200 {
		t.Fatalf("%d grams, %v", grams, err)
	}
	if err := d.Back(p); err != nil {
		t.Fatal(err)
	}
}
