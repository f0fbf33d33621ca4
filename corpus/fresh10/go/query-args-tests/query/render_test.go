package query

import (
	"errors"
	"testing"
	"time"
)

// fromDisk stands for a file of templates.
func fromDisk(template string) string {
	time.Sleep(time.Millisecond)
	return template
}

func TestRender(t *testing.T) {
	base := Params{"table": "events", "limit": 10}
	cases := []struct {
		name  string
		key   string
		value any
		want  string
	}{
		{"other limit", "limit", 50, "FROM events LIMIT "},
		{"other table", "table", "spans", "FROM spans LIMIT "},
		{"no change", "order", "id", "FROM events LIMIT "},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			params := base
			template := fromDisk("FROM {table} LIMIT {limit}")
			params[tc.key] = tc.value //race:base
			got, err := Render(template, params)
			if err != nil || len(got) < len("FROM x LIMIT 1") {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	if _, err := Render("{x}", Params{}); !errors.Is(err, ErrMissing) {
		t.Errorf("got %v", err)
	}
}
