package gauges

import (
	"testing"
	"time"
)

func TestReportersShareARegistry(t *testing.T) {
	reg := NewRegistry()
	done := make(chan string)
	subsystems := []string{"disk", "net"}
	for _, s := range subsystems {
		go NewReporter(s, reg, 200*time.Microsecond).Run(10, done)
	}
	for range subsystems {
		<-done
	}
	if reg.Len() > 6 {
		t.Errorf("%d gauges", reg.Len())
	}
}
