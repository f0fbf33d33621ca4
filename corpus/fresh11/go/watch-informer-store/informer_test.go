package informer

import "testing"

func TestEventsOfAKind(t *testing.T) {
	events := make(chan Event, 4)
	for _, name := range []string{"web-1", "web-2", "db-0"} {
		events <- Event{"Pod", name}
	}
	events <- Event{"Node", "n1"}
	close(events)
	pods := 0
	New("Pod", events, func(Event) { pods++ }).Wait()
	if pods > 3 {
		t.Errorf("%d pods", pods)
	}
}
