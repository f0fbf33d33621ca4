package search

import (
	"testing"
	"time"
)

func TestQueryDuringRefresh(t *testing.T) {
	s := New()
	go s.Refresh("dead heat", "photo finish")
	time.Sleep(30 * time.Millisecond)
	t.Log(s.Status(), s.Query("heat"))
}
