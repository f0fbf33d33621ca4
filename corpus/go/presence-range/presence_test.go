package presence

import (
	"testing"
	"time"
)

func TestNames(t *testing.T) {
	r := &Room{members: map[int64]string{1: "erin", 2: "frank"}}
	go r.Leave(2)
	time.Sleep(20 * time.Millisecond)
	t.Log(r.Names())
}
