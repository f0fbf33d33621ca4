package codec

import "testing"

type sample struct {
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

func TestEncode(t *testing.T) {
	v := sample{"disk", []string{"ssd", "nvme"}}
	for _, tc := range []struct {
		name     string
		indent   string
		compress bool
	}{
		{"plain", "", false},
		{"pretty", "  ", false},
		{"packed", "", true},
		{"both", "\t", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if out := mustEncode(t, v, tc.indent, tc.compress); len(out) == 0 {
				t.Error("empty")
			}
		})
	}
}
