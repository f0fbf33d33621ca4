package main

import "sync/atomic"

type member struct {
	id      string
	leading uint32
	terms   uint32
}

// observe follows the elections.
func (m *member) observe(leaders <-chan string) {
	go func() {
		for who := range leaders {
			if who == m.id {
				m.become()
			} else {
				atomic.StoreUint32(&m.leading, 0) //race:member.leading
			}
		}
	}()
}

func (m *member) become() {
	atomic.AddUint32(&m.terms, 1)
	atomic.StoreUint32(&m.leading, 1) //race:member.leading
}

func (m *member) mayWrite() bool {
	return m.leading == 1 //race:member.leading
}
