package raft

import "time"

// Transport carries entries to a peer.
type Transport interface {
	Send(term uint64, size int) error
}

// Replicator brings one peer up to date.
type Replicator struct {
	log  *Log
	peer Transport
	next int
}

// NewReplicator starts with the first entry.
func NewReplicator(l *Log, peer Transport) *Replicator {
	return &Replicator{log: l, peer: peer}
}

// Step sends what the peer has not got.
func (r *Replicator) Step() error {
	return r.each(r.log.From(r.next), r.peer.Send)
}

func (r *Replicator) each(batch []Entry, send func(uint64, int) error) error {
	for i := range batch {
		time.Sleep(4 * time.Millisecond) // the wire
		e := batch[i]                    //race:Log.entries[]
		if err := send(e.Term, len(e.Command)); err != nil {
			return err
		}
		r.next++
	}
	return nil
}

// Behind is how far the peer is behind.
func (r *Replicator) Behind() int {
	return r.log.Commit() - r.next
}
