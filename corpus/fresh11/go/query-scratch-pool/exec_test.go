package exec

import (
	"testing"
	"time"
)

func TestProfilesEveryQuery(t *testing.T) {
	e := NewExecutor()
	e.Rows("id", "name")
	time.Sleep(3 * time.Millisecond)
	e.Rows("id")
	e.Rows("id", "total", "currency")
	for i := 0; i < 3; i++ {
		<-e.profile
	}
}
