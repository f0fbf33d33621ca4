package plugins

import (
	"fmt"
	"io"
	"testing"
	"time"
)

type fixed string

func (f fixed) Version() string { return string(f) }

func TestTableWhilePluginsCome(t *testing.T) {
	r := NewRegistry()
	if err := r.Register("core", fixed("1.0")); err != nil {
		t.Fatal(err)
	}
	loaded := make(chan struct{})
	go func() {
		defer close(loaded)
		for i := 0; i < 15; i++ {
			name := fmt.Sprintf("theme-%d", i)
			_ = r.Register(name, fixed("0.9"))
			if i%3 == 0 {
				r.Remove(name)
			}
			time.Sleep(100 * time.Microsecond)
		}
	}()
	for i := 0; i < 10; i++ {
		if Table(io.Discard, r) == 0 {
			t.Error("core is missing")
		}
		time.Sleep(150 * time.Microsecond)
	}
	<-loaded
}
