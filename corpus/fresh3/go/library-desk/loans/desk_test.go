package loans

import (
	"sync"
	"testing"
	"time"
)

func TestTwoDesks(t *testing.T) {
	shelf := Shelf{"LIT 4": {Name: "Faust"}}
	var open sync.WaitGroup
	for member, stamp := range map[string]time.Duration{"noor": 4, "piet": 7} {
		desk := NewDesk(shelf, stamp*time.Millisecond)
		open.Add(1)
		go func(member string) {
			defer open.Done()
			if err := desk.Lend("LIT 4", member, 10); err != nil {
				t.Error(err)
			}
			time.Sleep(6 * time.Millisecond)
		}(member)
	}
	open.Wait()
	if late := NewDesk(shelf, 0).Overdue(11); len(late) != 0 {
		t.Fatal(late)
	}
}
