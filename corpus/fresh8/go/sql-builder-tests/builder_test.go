package sqlb

import (
	"strings"
	"testing"
	"time"
)

func TestWhere(t *testing.T) {
	base := From("users")
	cases := []struct {
		name   string
		clause string
		arg    any
	}{
		{"equal", "id = ?", 1},
		{"less", "age < ?", 40},
		{"like", "name LIKE ?", "a%"},
	}
	for _, tc := range cases {
		tc := tc
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			text := base.Where(tc.clause, tc.arg).SQL()
			if !strings.Contains(text, "WHERE") {
				t.Errorf("no condition in %q", text)
			}
			time.Sleep(time.Millisecond)
		})
	}
}
