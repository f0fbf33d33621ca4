package scan

import "sync"

// Row is one record of a partition.
type Row []string

// Collector gathers rows of all partitions.
type Collector struct {
	rows []Row
}

func (c *Collector) add(r Row) {
	c.rows = append(c.rows, r) //race:Collector.rows
}

func (c *Collector) scanPartition(n int) {
	for i := 0; i < n; i++ {
		c.add(Row{"id", "value"})
	}
}

// Scan reads every partition at once.
func (c *Collector) Scan(sizes ...int) []Row {
	var wg sync.WaitGroup
	wg.Add(len(sizes))
	for _, n := range sizes {
		go func(n int) {
			defer wg.Done()
			c.scanPartition(n)
		}(n)
	}
	wg.Wait()
	return c.rows
}
