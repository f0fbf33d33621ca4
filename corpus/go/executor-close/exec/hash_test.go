package exec

import (
	"testing"
	"time"
)

func TestCloseEarly(t *testing.T) {
	e := &HashExec{}
	e.Open([]int{1, 2, 3, 4, 5, 6, 7, 8})
	time.Sleep(3 * time.Millisecond)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	<-e.ended
}
