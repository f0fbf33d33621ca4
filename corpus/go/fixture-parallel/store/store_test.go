package store

import (
	"testing"
	"time"
)

var shared = NewFixture()

func cases(t *testing.T, f func(name string)) {
	for i, name := range []string{"eve", "bob"} {
		i, name := i, name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			time.Sleep(time.Duration(i) * 20 * time.Millisecond)
			f(name)
		})
	}
}

func TestAdd(t *testing.T) {
	cases(t, func(name string) {
		shared.Add(name)
	})
}

func TestAdvance(t *testing.T) {
	cases(t, func(name string) {
		shared.Advance(len(name))
	})
}
