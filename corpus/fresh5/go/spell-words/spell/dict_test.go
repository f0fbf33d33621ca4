package spell

import (
	"testing"
	"time"
)

func TestHasFromTwoEditors(t *testing.T) {
	d := Open("en.dic")
	for i := 0; i < 2; i++ {
		delay := time.Duration(12*i) * time.Millisecond
		go func() {
			time.Sleep(delay)
			d.Has("heat")
			time.Sleep(20 * time.Millisecond)
		}()
	}
	time.Sleep(28 * time.Millisecond)
	if d.path == "" {
		t.Error("no path")
	}
}
