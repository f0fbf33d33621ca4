package index

import "testing"

func TestBuild(t *testing.T) {
	docs := []Doc{{"a", "red"}, {"b", "blue"}, {"c", "red too"}, {"d", "green"}}
	hits, misses := Build(docs, "red")
	if hits+misses > 4 {
		t.Fatal(hits, misses)
	}
}
