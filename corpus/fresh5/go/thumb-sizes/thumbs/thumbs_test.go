package thumbs

import (
	"testing"
	"time"
)

type patient struct{}

func (patient) Scale(name string, w, h int) error {
	time.Sleep(2 * time.Millisecond)
	return nil
}

func TestMakeAllSizes(t *testing.T) {
	failed := Make(patient{}, []Size{{"s", 64, 64}, {"m", 256, 256}, {"l", 1024, 768}, {"xl", 4096, 3072}})
	if failed > 0 {
		t.Errorf("%d failed", failed)
	}
}
