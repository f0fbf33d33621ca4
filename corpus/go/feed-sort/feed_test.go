package feed

import (
	"testing"
	"time"
)

func TestSort(t *testing.T) {
	f := &Feed{posts: []Post{{5}, {3}, {4}, {1}}}
	go f.Promote()
	time.Sleep(20 * time.Millisecond)
	f.Sort()
}
