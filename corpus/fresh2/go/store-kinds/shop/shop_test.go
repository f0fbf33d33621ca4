package shop

import (
	"testing"
	"time"
)

func TestPayerAtOnce(t *testing.T) {
	s := Open(map[string]User{"ann": {"Ann"}}, map[int64]Order{7: {"ann", 1999}})
	found := make(chan bool, 2)
	for _, after := range []time.Duration{3, 6} {
		go func(after time.Duration) {
			time.Sleep(after * time.Millisecond)
			_, ok := s.Payer(7)
			found <- ok
		}(after)
	}
	for i := 0; i < cap(found); i++ {
		if !<-found {
			t.Error("nobody pays")
		}
	}
}
