package disks

import (
	"sync"
	"testing"
	"time"
)

func TestPeakOfAllDisks(t *testing.T) {
	m := NewMonitor()
	var probes sync.WaitGroup
	for disk, used := range map[string]float64{"sda": 0.4, "sdb": 0.7, "nvme0": 0.2} {
		probes.Add(1)
		go func() {
			defer probes.Done()
			for i := 0; i < 5; i++ {
				m.Observe(disk, used+float64(i)/100)
				time.Sleep(200 * time.Microsecond)
			}
		}()
	}
	probes.Wait()
	if m.Peak() < 0.4 {
		t.Errorf("peak %v", m.Peak())
	}
}
