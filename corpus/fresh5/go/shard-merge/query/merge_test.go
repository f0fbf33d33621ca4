package query

import (
	"context"
	"testing"
)

func TestSelectFromShards(t *testing.T) {
	up := Memory{{Name: "up"}, {Name: "up"}, {Name: "up"}}
	got, err := NewQuerier(up, up, up).Select(context.Background(), "up")
	if err != nil || len(got) > 9 {
		t.Error(len(got), err)
	}
}
