package resolver

import "testing"

func TestResolve(t *testing.T) {
	r := &Resolver{primary: "a", secondary: "b"}
	if r.Resolve() == "" {
		t.Error("no answer")
	}
}
