package tunnel

import (
	"strings"
	"testing"
	"time"
)

func watch(t *testing.T, airs []Air, at time.Duration) string {
	t.Helper()
	tunnel := New(900, 5*time.Millisecond)
	calm := make(chan struct{})
	go func() {
		defer close(calm)
		tunnel.Control(airs...)
	}()
	time.Sleep(at)
	text := Panel{tunnel}.Text()
	<-calm
	return text
}

func TestPanelInSmoke(t *testing.T) {
	if text := watch(t, []Air{{60, 12}, {0, 3}}, 3*time.Millisecond); !strings.HasPrefix(text, "in ") {
		t.Fatal(text)
	}
}
