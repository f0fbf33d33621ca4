package prefs

import (
	"testing"
	"time"
)

var defaults = &Prefs{Theme: "dark", Size: 12, Tags: map[string]bool{"new": true}}

func TestPrefs(t *testing.T) {
	cases := []struct {
		name string
		size int
		tag  string
	}{
		{"small", 9, "s"},
		{"large", 19, "l"},
	}
	for i, c := range cases {
		i, c := i, c
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			time.Sleep(time.Duration(i) * 9 * time.Millisecond)
			got := defaults.WithSize(c.size).WithTag(c.tag)
			if got.Theme != "dark" {
				t.Error(got.Theme)
			}
			time.Sleep(30 * time.Millisecond)
		})
	}
}
