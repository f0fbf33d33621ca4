package replay

import (
	"testing"
	"time"
)

func TestReplay(t *testing.T) {
	for _, tc := range []struct {
		name  string
		pause time.Duration
	}{
		{"slow", 12 * time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := New(t.Logf)
			r.Feed(Request{"/", tc.pause}, Request{"/cart", tc.pause}, Request{"/pay", tc.pause})
			for most, name := range []string{"none", "some", "many", "all"} {
				t.Run(name, func(t *testing.T) {
					if r.Pending() > 3 {
						t.Fatalf("more than %d", most)
					}
				})
			}
		})
	}
	settle()
}

func settle() {
	time.Sleep(60 * time.Millisecond)
}
