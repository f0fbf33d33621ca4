package ice

import (
	"testing"
	"time"
)

type slow time.Duration

func (s slow) Sound(site Site) (metres, noise float64) {
	time.Sleep(time.Duration(s))
	return 80, 0.1
}

func TestImpatientSurvey(t *testing.T) {
	s := &Survey{Radar: slow(8 * time.Millisecond), Patience: 3 * time.Millisecond}
	if mean := s.Profile(Site{"Jungfraufirn", 0.2}); mean < 10 {
		t.Fatalf("%.0f m", mean)
	}
	time.Sleep(12 * time.Millisecond)
}
