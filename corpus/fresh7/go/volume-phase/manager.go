package main

import (
	"fmt"
	"time"
)

type manager struct {
	volumes []*volume
	lines   []string
}

func (m *manager) attachAll(host string) {
	for _, v := range m.volumes {
		go func(v *volume) {
			_ = v.attach(host, func() error {
				time.Sleep(2 * time.Millisecond)
				return nil
			})
		}(v)
	}
}

func (m *manager) logState() {
	for _, v := range m.volumes {
		m.lines = append(m.lines, v.describe())
	}
}

func (m *manager) waitAttached(host string) bool {
	for try := 0; try < 20; try++ {
		m.logState()
		ready := 0
		for _, v := range m.volumes {
			if v.attachedTo(host) {
				ready++
			}
		}
		if ready == len(m.volumes) {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

func main() {
	m := &manager{volumes: []*volume{{id: "vol-1"}, {id: "vol-2"}}}
	m.attachAll("node-3")
	fmt.Println("attached:", m.waitAttached("node-3"))
}
