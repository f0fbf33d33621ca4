package news

import "time"

// Reader reads one topic from its start.
type Reader struct {
	Name  string
	topic *Topic
	pace  time.Duration
	seen  int
	over  chan struct{}
}

// Subscribe starts a reader that stops after some items.
func Subscribe(t *Topic, name string, items int, pace time.Duration) *Reader {
	r := &Reader{Name: name, topic: t, pace: pace, over: make(chan struct{})}
	go r.read(items)
	return r
}

func (r *Reader) read(items int) {
	defer close(r.over)
	for at := 0; at < items; at++ {
		r.handle(r.topic.fetch(at))
		time.Sleep(r.pace)
	}
}

func (r *Reader) handle(item Item) {
	if item.Text != "" {
		r.seen++ //race:Reader.seen
	}
	r.topic.acknowledge(r.Name, item.Number)
}

// Seen is how many items had a text.
func (r *Reader) Seen() int {
	return r.seen //race:Reader.seen
}

// Wait waits until the reader has stopped.
func (r *Reader) Wait() {
	<-r.over
}
