package sampler

import (
	"math/bits"
	"sort"
)

// ID is the id of a peer or a key.
type ID uint64

// Distance is the xor metric, as a number of leading bits that differ.
func Distance(a, b ID) int { return 64 - bits.LeadingZeros64(uint64(a^b)) }

// Peer is one row of the table.
type Peer struct {
	ID   ID
	Addr string
}

// Table is built once at start from the bootstrap list.
type Table struct {
	peers []Peer
}

// NewTable makes a table.
func NewTable(peers []Peer) *Table {
	return &Table{peers: append([]Peer(nil), peers...)}
}

// Closest returns the k peers nearest to a key.
func (t *Table) Closest(key ID, k int) []Peer {
	sort.Slice(t.peers, func(i, j int) bool { //race:Table.peers[]
		return Distance(t.peers[i].ID, key) < Distance(t.peers[j].ID, key) //race:Table.peers[]
	})
	if k > len(t.peers) {
		k = len(t.peers)
	}
	out := make([]Peer, k)
	copy(out, t.peers[:k]) //race:Table.peers[]
	return out
}
