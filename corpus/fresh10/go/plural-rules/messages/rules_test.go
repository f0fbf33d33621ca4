package messages

import (
	"sync"
	"testing"
)

func TestRequestsInOneLanguage(t *testing.T) {
	polish := NewLanguage("pl", "one few many")
	cases := map[int]string{1: "1 file/one", 3: "3 file/few", 12: "12 file/many"}
	var requests sync.WaitGroup
	gate := make(chan struct{})
	for n, want := range cases {
		requests.Add(1)
		go func() {
			defer requests.Done()
			<-gate
			if got := polish.Count(n, "file"); got != want {
				t.Errorf("%q instead of %q", got, want)
			}
		}()
	}
	close(gate)
	requests.Wait()
}
