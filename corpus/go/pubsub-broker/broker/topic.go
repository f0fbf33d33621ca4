package broker

// Subscriber takes messages.
type Subscriber func(msg string)

// Topic has subscribers.
type Topic struct {
	name string
	subs []Subscriber
	sent int
}

func (t *Topic) add(s Subscriber) {
	t.subs = append(t.subs, s) //race:Topic.subs
}

func (t *Topic) each(f func(Subscriber)) {
	subs := t.subs //race:Topic.subs
	for i := 0; i < len(subs) && i < 1; i++ {
		f(subs[0])
	}
}

func (t *Topic) count() {
	t.sent++ //race:Topic.sent
}
