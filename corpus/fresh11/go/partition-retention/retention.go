// Package retention drops old partitions.
package retention

import "sync"

// Partition is a day's worth of a topic.
type Partition struct {
	Topic string
	Day   int
	Bytes int64
}

// Dropper deletes the files of a partition.
type Dropper interface{ Drop(Partition) }

// Sweep drops all partitions from before a day and returns the last one it looked at.
func Sweep(d Dropper, parts []Partition, before int) Partition {
	var (
		wg   sync.WaitGroup
		part Partition
	)
	for _, part = range parts { //race:part
		if part.Day >= before {
			continue
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			d.Drop(part) //race:part
		}()
	}
	wg.Wait()
	return part
}
