package pigeon

import (
	"fmt"
	"sync"
	"time"
)

// Post has lofts.
type Post struct {
	lofts map[string]*Loft
}

// Open opens a post office.
func Open(lofts ...*Loft) *Post {
	p := &Post{lofts: make(map[string]*Loft)}
	for _, l := range lofts {
		p.lofts[l.Town] = l
	}
	return p
}

func (p *Post) find(town string) (*Loft, error) {
	if loft, ok := p.lofts[town]; ok {
		return loft, nil
	}
	return nil, fmt.Errorf("pigeon: nobody flies to %s", town)
}

// Send sends copies of a letter and returns how long each flew.
func (p *Post) Send(town string) (map[string]time.Duration, error) {
	loft, err := p.find(town)
	if err != nil {
		return nil, err
	}
	var (
		sky   sync.WaitGroup
		mu    sync.Mutex
		times = make(map[string]time.Duration)
	)
	for _, pigeon := range loft.Pigeons {
		pigeon := pigeon
		sky.Add(1)
		go func() {
			defer sky.Done()
			var took time.Duration
			if took, err = pigeon.fly(loft.Km); err != nil { //race:Send.err
				return
			}
			mu.Lock()
			times[pigeon.Name] = took
			mu.Unlock()
		}()
	}
	sky.Wait()
	return times, err
}
