package consumer

import (
	"sync"
	"time"
)

// Partition is one assigned partition of a topic.
type Partition struct {
	topic string
	id    int

	mu        sync.Mutex
	position  int64 // next record to hand out; guarded by mu
	committed int64 // guarded by mu
}

// Assign takes a partition over from the coordinator.
func Assign(topic string, id int) *Partition {
	return &Partition{topic: topic, id: id}
}

// Poll hands out n records.
func (p *Partition) Poll(n int) {
	for i := 0; i < n; i++ {
		time.Sleep(time.Millisecond)
		p.handOut()
	}
}

func (p *Partition) handOut() {
	p.position++ //race:Partition.position
}

// Commit remembers how far the group has come.
func (p *Partition) Commit() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.position > p.committed { //race:Partition.position
		p.committed = p.position //race:Partition.position
	}
	return p.committed
}
