package step

import (
	"testing"
	"time"
)

func TestTailAfterTimeout(t *testing.T) {
	output := make(chan string)
	go func() {
		for i := 0; i < 12; i++ {
			output <- "linking libfoo.a"
			time.Sleep(time.Millisecond)
		}
		close(output)
	}()
	s := &Step{Name: "link"}
	if err := s.Run(output, 4*time.Millisecond); err == nil {
		t.Log("faster than expected")
	}
	for i := 0; i < 3; i++ {
		_ = s.Tail()
		time.Sleep(2 * time.Millisecond)
	}
	time.Sleep(15 * time.Millisecond)
}
