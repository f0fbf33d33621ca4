package units

import (
	"sync"
	"testing"
)

func TestConvertConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for _, to := range []string{"g", "oz", "lb"} {
		wg.Add(1)
		go func(to string) {
			defer wg.Done()
			<-begin
			if _, err := Convert(2, "kg", to); err != nil {
				t.Error(err)
			}
		}(to)
	}
	close(begin)
	wg.Wait()
}

func TestConvertUnknown(t *testing.T) {
	if _, err := Convert(1, "stone", "g"); err == nil {
		t.Error("no error")
	}
}
