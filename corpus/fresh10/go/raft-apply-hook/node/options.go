package node

// Option changes a node.
type Option func(*Node)

// WithStateMachine says where committed entries go.
func WithStateMachine(m StateMachine) Option {
	return func(n *Node) {
		n.machine = m //race:Node.machine
	}
}

// WithBatch says how many proposals may wait.
func WithBatch(size int) Option {
	return func(n *Node) { n.batch = size }
}
