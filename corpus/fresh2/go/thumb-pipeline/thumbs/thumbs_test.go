package thumbs

import (
	"testing"
	"time"
)

func TestRenderAll(t *testing.T) {
	for _, tc := range []struct {
		format string
		names  []string
	}{
		{"jpeg", []string{"a.jpg", "bb.jpg", "ccc.jpg"}},
		{"png", []string{"a.png", "bb.png"}},
	} {
		t.Run(tc.format, func(t *testing.T) {
			got, _, err := RenderAll(codec{perByte: 2 * time.Millisecond}, tc.names, 64)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) > len(tc.names) {
				t.Fatalf("got %d", len(got))
			}
		})
	}
}
