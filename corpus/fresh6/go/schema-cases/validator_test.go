package schema

import (
	"testing"
	"time"
)

// slowDoc stands for a document that is read from a fixture.
func slowDoc(fields ...string) map[string]string {
	time.Sleep(time.Millisecond)
	doc := make(map[string]string)
	for _, f := range fields {
		doc[f] = "x"
	}
	return doc
}

func TestCheck(t *testing.T) {
	v := NewValidator(Field{"id", true}, Field{"title", false})
	for name, tc := range map[string]struct {
		strict bool
		fields []string
		faults int
	}{
		"complete":        {false, []string{"id", "title"}, 0},
		"missing":         {false, []string{"title"}, 1},
		"unknown":         {true, []string{"id", "colour"}, 1},
		"unknown lenient": {false, []string{"id", "colour"}, 0},
	} {
		tc := tc
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checked := v.Strict(tc.strict)
			if got := checked.Check(slowDoc(tc.fields...)); len(got) != tc.faults {
				t.Logf("faults: %v", got)
			}
		})
	}
}
