package tickets

// Event is something that people want to see.
type Event struct {
	ID   int
	Left int
}

// Office sells tickets.
type Office struct {
	locks  stripes
	events map[int]*Event
}

// NewOffice sells tickets for these events.
func NewOffice(events ...Event) *Office {
	o := &Office{events: make(map[int]*Event)}
	for i := range events {
		o.events[events[i].ID] = &events[i]
	}
	return o
}

// Sell sells n tickets.
func (o *Office) Sell(event, n int) bool {
	mu := o.locks.forID(event)
	mu.Lock()
	defer mu.Unlock()
	e := o.events[event]
	if e.Left < n { //race:Event.Left
		return false
	}
	e.Left -= n //race:Event.Left
	return true
}

// Refund takes n tickets of a customer back.
func (o *Office) Refund(event, customer, n int) {
	mu := o.locks.forID(customer)
	mu.Lock()
	defer mu.Unlock()
	e := o.events[event]
	e.Left += n //race:Event.Left
}
