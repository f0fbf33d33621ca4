package probe

import (
	"testing"
	"time"
)

func TestCheckAll(t *testing.T) {
	c := NewChecker(func(string) error { return nil }, time.Second)
	eps := []Endpoint{{"db-1", 5432}, {"db-2", 5432}, {"db-3", 5432}, {"cache-1", 6379}, {"cache-2", 6379}}
	if down := c.CheckAll(eps); len(down) != 0 {
		t.Fatal(down)
	}
}
