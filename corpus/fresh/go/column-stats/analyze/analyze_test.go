package analyze

import "testing"

func TestColumn(t *testing.T) {
	s := New(10).Column(Region{0, 60}, Region{60, 120})
	t.Logf("%d of 12 rows", s.Total())
}
