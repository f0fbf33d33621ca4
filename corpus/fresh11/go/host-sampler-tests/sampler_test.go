package sampler

import (
	"testing"
	"time"
)

func TestSamplesAreNumbered(t *testing.T) {
	s := Start(time.Millisecond)
	if got := <-s.out; got.Seq != 1 {
		t.Errorf("first is %d", got.Seq)
	}
}

func TestCrashLine(t *testing.T) {
	time.Sleep(4 * time.Millisecond)
	Latest = Sample{Goroutines: 12, Seq: 3} //race:Latest
	if got := CrashLine(); got == "" {
		t.Error("no line")
	}
}
