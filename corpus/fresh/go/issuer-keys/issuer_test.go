package issuer

import (
	"strings"
	"sync"
	"testing"
	"time"
)

func slowSource() (*Key, error) {
	time.Sleep(10 * time.Millisecond)
	return &Key{ID: "k1", secret: []byte("not a secret"), until: time.Now().Add(time.Hour)}, nil
}

func TestSignFromManyRequests(t *testing.T) {
	i := New(slowSource)
	var wg sync.WaitGroup
	for n := 0; n < 3; n++ {
		wg.Add(1)
		go func(wait time.Duration) {
			defer wg.Done()
			time.Sleep(wait)
			token, err := i.Sign("alice")
			if err != nil || !strings.HasPrefix(token, "k1.") {
				t.Errorf("%q, %v", token, err)
			}
		}(time.Duration(n) * 15 * time.Millisecond)
	}
	wg.Wait()
}
