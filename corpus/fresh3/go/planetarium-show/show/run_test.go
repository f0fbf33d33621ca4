package show

import (
	"testing"
	"time"
)

func TestEvening(t *testing.T) {
	p := &Programme{Gap: 2 * time.Millisecond}
	for _, part := range []string{"dome", "sound"} {
		p.Crews = append(p.Crews, Crew{part, 0, 5 * time.Millisecond})
	}
	p.Crews = append(p.Crews, Crew{"projector", 4, 6 * time.Millisecond})
	if lamps, err := p.Run(); err != nil || lamps > 4 {
		t.Fatalf("%d lamps, %v", lamps, err)
	}
}
