package hub

// client is one subscriber.
type client struct {
	name  string
	queue chan []byte
}

func newClient(name string, depth int) *client {
	return &client{name: name, queue: make(chan []byte, depth)}
}

func (c *client) offer(message []byte) bool {
	select {
	case c.queue <- message: //race:client.queue
		return true
	default:
		return false
	}
}

func (c *client) hangUp() {
	close(c.queue) //race:client.queue
}
