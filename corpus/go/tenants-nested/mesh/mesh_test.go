package mesh

import (
	"testing"
	"time"
)

func TestDialWhileJoining(t *testing.T) {
	m := New()
	go m.Join("b", "mail")
	time.Sleep(30 * time.Millisecond)
	t.Log(m.Dial("shared", "api"))
}
