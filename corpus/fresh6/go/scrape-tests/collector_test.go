package metrics

import (
	"testing"
	"time"
)

func heap() (string, float64) { return "heap", 42 }
func disk() (string, float64) { return "disk", 7 }

func eventually(t *testing.T, name string) {
	t.Helper()
	for i := 0; i < 100; i++ {
		if _, ok := Default.Get(name); ok {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%s was never set", name)
}

func TestCollectorSetsGauges(t *testing.T) {
	Collect(500*time.Microsecond, heap)
	eventually(t, "heap")
}

func TestCollectorUsesDefault(t *testing.T) {
	fresh := NewRegistry()
	Default = fresh //race:Default
	c := Collect(500*time.Microsecond, disk)
	defer c.Close()
	eventually(t, "disk")
	if _, ok := fresh.Get("disk"); !ok {
		t.Error("set elsewhere")
	}
}
