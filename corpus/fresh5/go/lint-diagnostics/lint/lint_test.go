package lint

import (
	"strings"
	"testing"
)

func TestCheckWithTwoRules(t *testing.T) {
	text := strings.Repeat("\ta line that is much too long\n", 10)
	if len(NewRunner(LongLines, Tabs).Check(text)) == 0 {
		t.Error("nothing to complain about")
	}
}
