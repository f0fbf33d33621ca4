package rollout

import (
	"testing"
	"time"
)

func TestBegin(t *testing.T) {
	r := Rollout{Version: "v1.4.2", To: t, Pause: 3 * time.Millisecond}
	for _, fleet := range []string{"canary", "blue", "green"} {
		t.Run(fleet, func(t *testing.T) {
			if r.Version == "" {
				t.Error("no version for", fleet)
			}
			r.Begin(fleet+"-1", fleet+"-2")
		})
	}
}

func TestOther(t *testing.T) {
	time.Sleep(70 * time.Millisecond)
}
