// Package gossip spreads news among members.
package gossip

import (
	"sort"
	"sync"
	"time"
)

// Member is somebody who is told the news.
type Member struct {
	Addr string
	Beat int
}

// Node spreads news.
type Node struct {
	mu    sync.Mutex
	peers []*Member
}

// Join adds a member.
func (n *Node) Join(addr string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.peers = append(n.peers, &Member{Addr: addr})
}

// Peers gives the members.
func (n *Node) Peers() []*Member {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.peers
}

// Spread tells every member, round after round.
func (n *Node) Spread(rounds int, pause time.Duration) {
	for i := 0; i < rounds; i++ {
		time.Sleep(pause)
		n.mu.Lock()
		for at := range n.peers {
			m := n.peers[at] //race:Node.peers[]
			m.Beat++         //race:Member.Beat
		}
		n.mu.Unlock()
	}
	time.Sleep(6 * pause)
}

type byAddr []*Member

func (b byAddr) Len() int           { return len(b) }
func (b byAddr) Less(i, j int) bool { return b[i].Addr < b[j].Addr } //race:Node.peers[]
func (b byAddr) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }      //race:Node.peers[]

// Slowest gives the member that heard least, and puts the list in order.
func Slowest(n *Node) (slowest *Member) {
	peers := n.Peers()
	time.Sleep(5 * time.Millisecond)
	sort.Sort(byAddr(peers))
	least := 1 << 30
	for at := range peers {
		m := peers[at] //race:Node.peers[]
		beat := m.Beat //race:Member.Beat
		if beat < least {
			slowest, least = m, beat
		}
	}
	return slowest
}
