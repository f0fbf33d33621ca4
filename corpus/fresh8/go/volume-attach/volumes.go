package main

import (
	"fmt"
	"sync"
	"time"
)

type volume struct {
	mu   sync.Mutex
	name string
	node string
}

// manager moves volumes between nodes.
type manager struct {
	mu      sync.Mutex
	volumes map[string]*volume
}

func (m *manager) lookup(name string) *volume {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.volumes[name]
}

func (m *manager) attach(v *volume, node string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.node != "" { //race:volume.node
		return false
	}
	v.node = node //race:volume.node
	return true
}

// evacuate takes all volumes off a node that is down.
func (m *manager) evacuate(node string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, v := range m.volumes {
		if v.node == node { //race:volume.node
			v.node = "" //race:volume.node
			n++
		}
	}
	return n
}

func main() {
	data := &volume{name: "data", node: "node-1"}
	m := &manager{volumes: map[string]*volume{"data": data}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		v := m.lookup("data")
		for i := 0; i < 6 && !m.attach(v, "node-2"); i++ {
			time.Sleep(300 * time.Microsecond)
		}
	}()
	time.Sleep(500 * time.Microsecond)
	n := m.evacuate("node-1")
	<-done
	fmt.Println("evacuated", n)
}
