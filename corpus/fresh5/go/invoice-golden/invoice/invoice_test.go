package invoice

import (
	"bytes"
	"testing"
	"time"
)

var out bytes.Buffer

func render(t *testing.T, lines ...Line) {
	t.Helper()
	if err := Render(&out, lines); err != nil { //race:out
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond)
	out.Reset() //race:out
	time.Sleep(2 * time.Millisecond)
}

func TestRenderOneLine(t *testing.T) {
	t.Parallel()
	render(t, Line{"hosting", 900})
}

func TestRenderCredit(t *testing.T) {
	t.Parallel()
	render(t, Line{"refund", -450})
}
