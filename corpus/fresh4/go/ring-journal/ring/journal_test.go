package ring

import (
	"testing"
	"time"
)

func TestDump(t *testing.T) {
	j := Journal{Make[Line](4)}
	go func() {
		for _, text := range []string{"a", "b", "c"} {
			time.Sleep(4 * time.Millisecond)
			j.note(text)
		}
		time.Sleep(20 * time.Millisecond)
	}()
	time.Sleep(10 * time.Millisecond)
	if len(j.Dump()) != 4 {
		t.Fatal("short")
	}
	time.Sleep(10 * time.Millisecond)
}
