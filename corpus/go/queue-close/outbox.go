package outbox

// Outbox queues messages.
type Outbox struct {
	queue chan string
}

// New returns an outbox for n messages.
func New(n int) *Outbox {
	return &Outbox{queue: make(chan string, n)}
}

// Send queues a message.
func (o *Outbox) Send(msg string) {
	o.queue <- msg //race:Outbox.queue
}

// Stop takes no more messages.
func (o *Outbox) Stop() {
	close(o.queue) //race:Outbox.queue
}
