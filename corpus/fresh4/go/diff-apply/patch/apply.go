// Package patch changes files.
package patch

import (
	"errors"
	"fmt"
	"time"
)

// Patch changes one file.
type Patch struct {
	File string
	Bad  bool
	Cost time.Duration
}

var errReject = errors.New("rejected")

func (p Patch) apply() error {
	time.Sleep(p.Cost)
	if p.Bad {
		return errReject
	}
	return nil
}

// Summary is what became of the patches.
type Summary struct {
	Failed int
	Names  []string
}

// Apply applies all patches at once.
func Apply(patches []Patch) (Summary, error) {
	failed := 0
	names := make([]string, 0, len(patches)+4)
	var err error
	slots := make(chan struct{}, len(patches))
	for _, p := range patches {
		go func(p Patch) {
			fault := p.apply()
			if fault != nil {
				failed++    //race:Apply.failed
				err = fault //race:Apply.err
			} else {
				names = append(names, p.File) //race:Apply.names
			}
			time.Sleep(25 * time.Millisecond)
			slots <- struct{}{}
		}(p)
	}
	for range patches {
		<-slots
	}
	if err != nil {
		return Summary{}, fmt.Errorf("%d failed: %w", failed, err)
	}
	return Summary{failed, names}, nil
}
