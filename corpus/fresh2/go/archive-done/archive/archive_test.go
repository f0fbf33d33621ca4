package archive

import (
	"testing"
	"time"
)

func TestPackOne(t *testing.T) {
	for _, name := range []string{"letters", "photos"} {
		t.Run(name, func(t *testing.T) {
			a := New(func(name string) (int64, error) {
				time.Sleep(3 * time.Millisecond)
				return int64(len(name)), nil
			})
			a.Add(name)
			if n, _ := a.Finish(); n > 99 {
				t.Fatalf("got %d", n)
			}
			time.Sleep(6 * time.Millisecond)
		})
	}
}
