// Package news brings news to the readers of a village.
package news

import (
	"fmt"
	"sort"
	"strings"
)

// Broker has topics, and readers by topic.
type Broker struct {
	topics  map[string]*Topic
	readers map[string][]*Reader
}

// NewBroker returns a broker with topics.
func NewBroker(names ...string) *Broker {
	b := &Broker{topics: make(map[string]*Topic), readers: make(map[string][]*Reader)}
	for _, name := range names {
		b.topics[name] = NewTopic()
	}
	return b
}

// Topic returns one of the topics.
func (b *Broker) Topic(name string) *Topic {
	return b.topics[name]
}

// Join notes a reader of a topic.
func (b *Broker) Join(topic string, r *Reader) {
	b.readers[topic] = append(b.readers[topic], r)
}

// Status has a line for every reader.
func (b *Broker) Status() string {
	var lines []string
	for name, readers := range b.readers {
		for _, r := range readers {
			lines = append(lines, b.line(name, r))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

func (b *Broker) line(topic string, r *Reader) string {
	return fmt.Sprintf("%s reads %s: %d seen, %d behind", r.Name, topic, r.Seen(), b.topics[topic].Lag(r.Name))
}
