package export

import (
	"testing"
	"time"
)

func TestOnePart(t *testing.T) {
	e := &Export{settle: 4 * time.Millisecond}
	e.Part([]byte("abc"))
	if sum, _ := e.Total(); sum > 3 {
		t.Fatal(sum)
	}
	time.Sleep(5 * time.Millisecond)
}
