package courier

type conn struct {
	sent int
}

func (c *conn) write(msg string) {
	c.sent += len(msg)
}

// Courier delivers messages in the background.
type Courier struct {
	conn    *conn
	closing bool
	inbox   chan string
}

// Start returns a running courier.
func Start() *Courier {
	c := &Courier{conn: &conn{}, inbox: make(chan string, 4)}
	go c.run()
	return c
}

// Stop ends the courier.
func (c *Courier) Stop() {
	c.closing = true //race:Courier.closing
	c.conn = nil     //race:Courier.conn
}
