package slugs

import (
	"testing"
	"time"
)

func TestSpaces(t *testing.T) {
	t.Parallel()
	for i := 0; i < 40; i++ {
		if got := Of("The  Long Way " + string(rune('a'+i%26))); got == "" {
			t.Error("no slug")
		}
		time.Sleep(50 * time.Microsecond)
	}
}

func TestPunctuation(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"What, now?":     "what-now",
		"C'est la vie":   "c-est-la-vie",
		"10 ways to win": "10-ways-to-win",
	} {
		if got := Of(title); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}

func TestAgain(t *testing.T) {
	t.Parallel()
	for i := 0; i < 40; i++ {
		if Of("Once more") != "once-more" {
			t.Error("changed its mind")
		}
		time.Sleep(50 * time.Microsecond)
	}
}
