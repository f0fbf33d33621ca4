package mirror

import (
	"testing"
	"time"
)

func TestSync(t *testing.T) {
	for _, tc := range []struct {
		name   string
		remote Remote
	}{
		{"slow", Fake{8 * time.Millisecond, 9 * time.Millisecond, false}},
		{"broken", Fake{8 * time.Millisecond, 10 * time.Millisecond, true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if faults := Sync(tc.remote, 3*time.Millisecond); len(faults) > 2 {
				t.Fatal(faults)
			}
			time.Sleep(10 * time.Millisecond)
		})
	}
}
