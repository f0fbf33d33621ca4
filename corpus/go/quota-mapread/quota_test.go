package quota

import (
	"testing"
	"time"
)

func TestLimit(t *testing.T) {
	q := &Quota{limits: map[string]int{"a": 1}}
	go q.Set("b", 2)
	time.Sleep(20 * time.Millisecond)
	if q.Limit("a") != 1 {
		t.Error("wrong limit")
	}
}
