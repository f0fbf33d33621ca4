// Package depot looks through boxes.
package depot

import (
	"errors"
	"time"
)

var errEmpty = errors.New("depot: empty")

// Scan counts what is in the boxes and gives up after some time.
func Scan(boxes []int, patience time.Duration) (total int, err error) {
	over := make(chan struct{})
	go func() {
		for _, n := range boxes {
			total += n //race:Scan.total
		}
		if len(boxes) == 1 {
			err = errEmpty //race:Scan.err
		}
		time.Sleep(3 * patience)
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(patience):
		err = nil //race:Scan.err
		total = 0 //race:Scan.total
	}
	return
}
