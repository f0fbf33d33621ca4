package outbox

// Event is something that happened.
type Event struct {
	ID    int
	Topic string
}

// Outbox holds events until they are sent.
type Outbox struct {
	seen  map[int]bool
	queue []Event
}

// New makes an empty outbox.
func New() *Outbox {
	return &Outbox{seen: make(map[int]bool)}
}

// Put queues an event, unless it is there already.
func (o *Outbox) Put(e Event) {
	if o.seen[e.ID] { //race:Outbox.seen[]
		return
	}
	o.seen[e.ID] = true          //race:Outbox.seen[]
	o.queue = append(o.queue, e) //race:Outbox.queue
}

// Take empties the queue.
func (o *Outbox) Take() []Event {
	out := o.queue //race:Outbox.queue
	o.queue = nil  //race:Outbox.queue
	return out
}
