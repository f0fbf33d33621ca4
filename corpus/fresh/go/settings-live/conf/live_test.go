package conf

import (
	"testing"
	"time"
)

func TestReloadUnderLoad(t *testing.T) {
	l, err := NewLive(func() string { return "# limits\nrate = 10\n" })
	if err != nil {
		t.Fatal(err)
	}
	go l.Watch(3*time.Millisecond, 3)
	for i := 0; i < 8; i++ {
		if got := l.Get("rate", "1"); got != "10" {
			t.Fatal(got)
		}
		time.Sleep(time.Millisecond)
	}
}
