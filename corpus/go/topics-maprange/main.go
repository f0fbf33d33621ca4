// Command topics lists the topics of a broker.
package main

import "time"

// Broker knows its topics.
type Broker struct {
	topics map[int]int
}

//go:noinline
func (b *Broker) publish(id int) {
	b.topics[id%64]++ //race:Broker.topics
}

//go:noinline
func (b *Broker) total() int {
	sum := 0
	for _, n := range b.topics { //race:Broker.topics
		sum += n
	}
	return sum
}

func main() {
	b := &Broker{topics: map[int]int{}}
	go func() {
		for i := 0; ; i++ {
			b.publish(i)
		}
	}()
	end := time.Now().Add(5 * time.Second)
	for time.Now().Before(end) {
		_ = b.total()
	}
}
