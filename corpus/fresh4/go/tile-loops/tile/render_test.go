package tile

import (
	"testing"
	"time"
)

func TestRender(t *testing.T) {
	if c := Render(2, 2, 4*time.Millisecond); len(c.drawn) > 9 {
		t.Fatal(len(c.drawn))
	}
}
