// Command mirror pulls images into a local registry.
package main

import (
	"fmt"
	"sync"
	"time"
)

type summary struct {
	image string
	took  time.Duration
}

type mirror struct {
	pulls sync.WaitGroup
	last  summary
}

func (m *mirror) pull(image string) {
	began := time.Now()
	defer func() {
		m.last = summary{image, time.Since(began)} //race:mirror.last
	}()
	defer m.pulls.Done()
	time.Sleep(2 * time.Millisecond)
}

func (m *mirror) report() string {
	return fmt.Sprintf("%s in %v", m.last.image, m.last.took > 0) //race:mirror.last
}

func main() {
	m := &mirror{}
	m.pulls.Add(1)
	go m.pull("alpine:3.19")
	m.pulls.Wait()
	fmt.Println(m.report())
	time.Sleep(5 * time.Millisecond)
}
