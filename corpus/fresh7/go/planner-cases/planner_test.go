package planner

import "testing"

func TestBuild(t *testing.T) {
	opts := &Options{Indexes: []string{"id", "email"}}
	cases := []struct {
		name   string
		column string
		limit  int
		steps  int
	}{
		{"index and limit", "id", 10, 2},
		{"scan and limit", "age", 5, 2},
		{"no limit", "email", 0, 1},
	}
	for _, tc := range cases {
		tc := tc
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts.Limit = tc.limit //race:Options.Limit
			p := Build(opts, tc.column, 100)
			if len(p.Steps) == 0 {
				t.Errorf("no steps: %+v", p)
			}
		})
	}
}
