// Package mailroom sorts letters with a few clerks.
package mailroom

import (
	"sync"
	"time"
)

// Letter is something to sort.
type Letter struct {
	To     string
	Weight int
}

// Mailroom hands letters to clerks.
type Mailroom struct {
	lock     sync.Mutex
	arrived  *sync.Cond
	letters  []Letter
	backlog  int
	closing  bool
	clerks   sync.WaitGroup
	perShift time.Duration
}

// Open lets n clerks begin.
func Open(n int, perShift time.Duration) *Mailroom {
	m := &Mailroom{perShift: perShift}
	m.arrived = sync.NewCond(&m.lock)
	m.clerks.Add(n)
	for i := 0; i < n; i++ {
		go m.clerk()
	}
	return m
}

// Accept takes a letter in.
func (m *Mailroom) Accept(letter Letter) {
	m.lock.Lock()
	m.letters = append(m.letters, letter)
	m.backlog += letter.Weight //race:Mailroom.backlog
	m.lock.Unlock()
	m.arrived.Signal()
}

func (m *Mailroom) next() (Letter, bool) {
	m.lock.Lock()
	defer m.lock.Unlock()
	for len(m.letters) == 0 {
		if m.closing { //race:Mailroom.closing
			return Letter{}, false
		}
		m.arrived.Wait()
	}
	letter := m.letters[0]
	m.letters = m.letters[1:]
	m.backlog -= letter.Weight //race:Mailroom.backlog
	return letter, true
}

func (m *Mailroom) clerk() {
	defer m.clerks.Done()
	for {
		if _, ok := m.next(); !ok {
			time.Sleep(5 * m.perShift)
			return
		}
		time.Sleep(m.perShift)
	}
}
