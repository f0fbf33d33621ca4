package shaders

import (
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	got := expand("void main() {}", []Feature{"FOG", "SHADOW"}, 2)
	if !strings.HasPrefix(got, "#define SHADOW\n") {
		t.Errorf("got %q", got)
	}
}

func TestVariantsAreAllMade(t *testing.T) {
	programs := Variants("void main() {}", []Feature{"FOG", "SHADOW", "SKIN"})
	if len(programs) != 8 {
		t.Errorf("%d variants", len(programs))
	}
}
