package agent

import (
	"testing"
	"time"
)

type discard struct{}

func (discard) Emit(string, float64) {}

func TestOptions(t *testing.T) {
	a := Start(WithSink(discard{}), WithEvery(2*time.Millisecond))
	defer a.Stop()
	time.Sleep(8 * time.Millisecond)
}
