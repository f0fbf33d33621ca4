package peer

import (
	"testing"
	"time"
)

func TestSend(t *testing.T) {
	p := Dial("left", t.Logf)
	for _, m := range []string{"hello", "bye"} {
		m := m
		t.Run(m, func(t *testing.T) {
			if err := p.Send(m); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestSendEmpty(t *testing.T) {
	p := Dial("right", func(string, ...interface{}) {})
	if err := p.Send(""); err == nil {
		t.Error("an empty message was sent")
	}
	time.Sleep(10 * time.Millisecond)
}
