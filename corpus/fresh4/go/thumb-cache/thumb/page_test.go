package thumb

import (
	"testing"
	"time"
)

func TestTwoPages(t *testing.T) {
	c := NewCache(func() int64 { return 7 })
	c.Keep("cat", []byte{1})
	for i := 0; i < 2; i++ {
		go Page(c, 8*time.Millisecond, "cat", "cat", "cat", "cat")
		time.Sleep(3 * time.Millisecond)
	}
	time.Sleep(25 * time.Millisecond)
}
