package broker

import "time"

// Stats are the counters of a broker.
type Stats struct {
	Delivered int
	Bytes     int
}

// Broker has queues.
type Broker struct {
	Stats Stats
}

// Default is the broker of the process.
var Default = new(Broker)

// Consumer takes messages off a queue.
type Consumer struct {
	from *Broker
	done chan struct{}
}

// Consume starts a consumer; it must be closed.
func (b *Broker) Consume(queue string) *Consumer {
	c := &Consumer{from: b, done: make(chan struct{})}
	go c.loop(queue)
	return c
}

func (c *Consumer) loop(queue string) {
	for {
		select {
		case <-c.done:
			return
		case <-time.After(time.Millisecond):
			c.deliver(len(queue))
		}
	}
}

func (c *Consumer) deliver(size int) {
	c.from.Stats.Delivered++   //race:Stats.Delivered
	c.from.Stats.Bytes += size //race:Stats.Bytes
}

// Close stops the consumer.
func (c *Consumer) Close() {
	close(c.done)
}
