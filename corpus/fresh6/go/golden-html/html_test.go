package html

import (
	"strings"
	"testing"
)

// compared is printed by the tool that updates golden files.
var compared []string

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	compared = append(compared, name) //race:compared
	want := goldens[name]
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("%s:\n%s", name, got)
	}
}

var goldens = map[string]string{
	"list":  "<ul>\n  <li>a\n  <li>b",
	"plain": "<p>hello",
	"deep":  "<a>\n  <b>\n    <c>x",
}

func TestRenderList(t *testing.T) {
	t.Parallel()
	n := Node{Tag: "ul", Kids: []Node{{Tag: "li", Text: "a"}, {Tag: "li", Text: "b"}}}
	compareGolden(t, "list", Render(n))
}

func TestRenderPlain(t *testing.T) {
	t.Parallel()
	compareGolden(t, "plain", Render(Node{Tag: "p", Text: "hello"}))
}

func TestRenderDeep(t *testing.T) {
	t.Parallel()
	n := Node{Tag: "a", Kids: []Node{{Tag: "b", Kids: []Node{{Tag: "c", Text: "x"}}}}}
	compareGolden(t, "deep", Render(n))
}
