package exec

import "sync"

// HashJoin joins two children.
type HashJoin struct {
	build, probe Executor
	table        map[int]int
}

// NewHashJoin joins two scans that report as one operator.
func NewHashJoin(rows int, stats *RuntimeStats) *HashJoin {
	scan := func(id string) *TableScan {
		return &TableScan{baseExecutor: baseExecutor{id: id, stats: stats}, left: rows}
	}
	return &HashJoin{build: scan("TableScan_5"), probe: scan("TableScan_7"), table: map[int]int{}}
}

func (j *HashJoin) fetchBuildRows(wg *sync.WaitGroup) {
	defer wg.Done()
	drain(j.build)
}

func (j *HashJoin) fetchProbeRows(wg *sync.WaitGroup) {
	defer wg.Done()
	drain(j.probe)
}

func drain(e Executor) {
	c := &Chunk{}
	for {
		if err := e.Next(c); err != nil || len(c.Rows) == 0 {
			return
		}
	}
}

// Run reads both children to their end.
func (j *HashJoin) Run() {
	var wg sync.WaitGroup
	wg.Add(2)
	go j.fetchBuildRows(&wg)
	go j.fetchProbeRows(&wg)
	wg.Wait()
}
