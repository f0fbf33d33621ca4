package puzzle

import (
	"sync"
	"time"
)

// Press has workers, each of which makes its share of a page.
type Press struct {
	Maker   *Maker
	Workers int
	Pause   time.Duration
}

// Run makes a page.
func (p *Press) Run(each int) {
	var shift sync.WaitGroup
	for w := 0; w < p.Workers; w++ {
		shift.Add(1)
		go p.work(&shift, w, each)
	}
	shift.Wait()
}

func (p *Press) work(shift *sync.WaitGroup, worker, each int) {
	defer shift.Done()
	time.Sleep(time.Duration(worker) * p.Pause)
	for i := 0; i < each; i++ {
		p.Maker.Make()
		time.Sleep(p.Pause)
	}
}
