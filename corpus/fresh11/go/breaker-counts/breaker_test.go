package breaker

import (
	"errors"
	"testing"
	"time"
)

func TestResetWhileCallsFail(t *testing.T) {
	b := New(1000)
	called := make(chan struct{})
	go func() {
		defer close(called)
		for i := 0; i < 10; i++ {
			_ = b.Do(func() error {
				if i%2 == 0 {
					return nil
				}
				return errors.New("refused")
			})
			time.Sleep(200 * time.Microsecond)
		}
	}()
	time.Sleep(time.Millisecond)
	b.Reset()
	<-called
	if b.open.Load() {
		t.Error("open")
	}
}
