package courier

import "time"

func (c *Courier) run() {
	for i := 0; i < 3; i++ {
		if c.stopped() {
			return
		}
		c.drain()
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(time.Second)
}

func (c *Courier) stopped() bool {
	return c.closing //race:Courier.closing
}

func (c *Courier) drain() {
	select {
	case msg := <-c.inbox:
		c.deliver(msg)
	case <-time.After(time.Millisecond):
		c.deliver("ping")
	}
}

func (c *Courier) deliver(msg string) {
	c.sendOn(c.current(), msg)
}

func (c *Courier) current() *conn {
	return c.conn //race:Courier.conn
}

func (c *Courier) sendOn(to *conn, msg string) {
	if to != nil {
		to.write(msg)
	}
}
