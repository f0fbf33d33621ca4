package search

import "testing"

func TestSearchAllShards(t *testing.T) {
	docs := map[string]string{"1": "race and race again"}
	c := NewCoordinator(
		&Shard{Name: "a", Documents: docs},
		&Shard{Name: "b", Down: true},
		&Shard{Name: "c", Documents: docs},
		&Shard{Name: "d", Down: true},
	)
	resp := c.Search("race")
	if len(resp.Hits)+len(resp.Failures) > 4 {
		t.Fatal(resp)
	}
}
