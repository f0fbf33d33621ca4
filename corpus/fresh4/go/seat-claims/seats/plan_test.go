package seats

import (
	"sync"
	"testing"
	"time"
)

func TestTwoGuests(t *testing.T) {
	plan := new(Plan)
	var guests sync.WaitGroup
	guests.Add(2)
	for _, who := range []string{"ida", "leo"} {
		go func(who string) {
			defer guests.Done()
			plan.OpenOnce(6 * time.Millisecond)
			plan.Claim(who, 6*time.Millisecond)
			time.Sleep(20 * time.Millisecond)
		}(who)
	}
	guests.Wait()
}
