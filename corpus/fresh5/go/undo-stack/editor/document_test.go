package editor

import (
	"testing"
	"time"
)

func TestTypingDuringAutosave(t *testing.T) {
	d := new(Document)
	go d.Autosave(time.Millisecond, 20, func(int) {})
	for i := 0; i < 10; i++ {
		d.Type("word ")
		d.Erase(1)
		if i%3 == 0 && !d.StepBack() {
			t.Error("nothing to take back")
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(15 * time.Millisecond)
}
