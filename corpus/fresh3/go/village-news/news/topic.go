package news

import "sync"

// Item is a piece of news.
type Item struct {
	Number int
	Text   string
}

// Topic is a log of items and what each reader has read of it.
type Topic struct {
	mu      sync.Mutex
	grown   *sync.Cond
	items   []Item
	head    int
	offsets map[string]int
}

// NewTopic returns an empty topic.
func NewTopic() *Topic {
	t := &Topic{offsets: make(map[string]int)}
	t.grown = sync.NewCond(&t.mu)
	return t
}

// Publish adds an item.
func (t *Topic) Publish(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.items = append(t.items, Item{Number: t.head + 1, Text: text})
	t.head++ //race:Topic.head
	t.grown.Broadcast()
}

// fetch waits for the item at a place.
func (t *Topic) fetch(at int) Item {
	t.mu.Lock()
	defer t.mu.Unlock()
	for at >= len(t.items) {
		t.grown.Wait()
	}
	return t.items[at]
}

func (t *Topic) acknowledge(reader string, number int) {
	t.offsets[reader] = number //race:Topic.offsets[]
}

// Lag is how far a reader is behind.
func (t *Topic) Lag(reader string) int {
	head := t.head                //race:Topic.head
	read, ok := t.offsets[reader] //race:Topic.offsets[]
	if !ok {
		return head
	}
	return head - read
}
