package orchard

import (
	"testing"
	"time"
)

func TestRowsShareAProbe(t *testing.T) {
	sheet := &Datasheet{map[string]float64{"tm2": 0.5}, map[string]string{"tm2": "kPa"}, 3 * time.Millisecond}
	probe := &Probe{model: "tm2", sheet: sheet}
	opened := make(chan bool, 2)
	for _, name := range []string{"apples", "plums"} {
		row := &Row{name, probe, 40}
		go func() {
			open, _ := row.Decide(70)
			time.Sleep(5 * time.Millisecond)
			opened <- open
		}()
		time.Sleep(time.Millisecond)
	}
	for i := 0; i < cap(opened); i++ {
		if !<-opened {
			t.Error("dry trees")
		}
	}
}
