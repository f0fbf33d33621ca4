package replica

import (
	"errors"
	"time"
)

// ErrNoQuorum says that too few replicas took the write.
var ErrNoQuorum = errors.New("no quorum")

// Node is one replica.
type Node struct {
	Name string
	Lag  time.Duration
	Full bool
}

var errFull = errors.New("disk full")

func (n Node) put(key string) error {
	time.Sleep(n.Lag)
	if n.Full {
		return errFull
	}
	return nil
}

// Write stores a key on a majority of nodes.
func Write(nodes []Node, key string) (acked int, err error) {
	acks := make(chan string, len(nodes))
	for _, node := range nodes {
		go func(n Node) {
			if failed := n.put(key); failed != nil {
				err = failed //race:Write.err
				return
			}
			acks <- n.Name
		}(node)
	}
	limit := time.After(50 * time.Millisecond)
	for acked <= len(nodes)/2 {
		select {
		case <-acks:
			acked++
		case <-limit:
			return acked, ErrNoQuorum
		}
	}
	return acked, nil //race:Write.err
}
