package names

import (
	"testing"
	"time"
)

func TestNameFromWorkers(t *testing.T) {
	got := make(chan string, 4)
	for i, code := range []string{"DE", "JP", "PE", "KE"} {
		go func(after time.Duration, code string) {
			time.Sleep(after)
			name, _ := Name(code)
			got <- name
		}(time.Duration(i)*time.Millisecond, code)
	}
	for i := 0; i < 4; i++ {
		if name := <-got; name == "" {
			t.Error("a name is missing")
		}
	}
}
