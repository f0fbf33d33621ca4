// Package fetch gets files from several mirrors.
package fetch

import (
	"fmt"
	"time"
)

// Mirror is a place that has files.
type Mirror struct {
	Name  string
	Delay time.Duration
	Have  int
}

func (m Mirror) head() (int, error) {
	time.Sleep(m.Delay)
	if m.Have == 0 {
		return 0, fmt.Errorf("%s: empty", m.Name)
	}
	return m.Have, nil
}

// Copy gets the file from every mirror at once.
func Copy(mirrors ...Mirror) ([]int, error) {
	var g group
	var err error
	sizes := make([]int, len(mirrors))
	for i := range mirrors {
		i := i
		g.run(func() error {
			sizes[i], err = mirrors[i].head() //race:Copy.err
			time.Sleep(20 * time.Millisecond)
			return err //race:Copy.err
		})
	}
	return sizes, g.join()
}

// Newest gives the highest version that any mirror has.
func Newest(mirrors ...Mirror) (version int, err error) {
	var g group
	for i := range mirrors {
		m := mirrors[i]
		g.run(func() error {
			n, err := m.head()
			if err == nil && n > version { //race:Newest.version
				version = n //race:Newest.version
			}
			time.Sleep(20 * time.Millisecond)
			return nil
		})
	}
	err = g.join()
	return version, err
}
