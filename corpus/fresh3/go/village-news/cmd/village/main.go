package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/villagenews/news"
)

func publish(t *news.Topic, texts ...string) {
	for _, text := range texts {
		t.Publish(text)
		time.Sleep(5 * time.Millisecond)
	}
}

func main() {
	broker := news.NewBroker("fair")
	topic := broker.Topic("fair")
	anna := news.Subscribe(topic, "anna", 2, 12*time.Millisecond)
	broker.Join("fair", anna)
	go publish(topic, "the mayor speaks", "rain", "")
	time.Sleep(8 * time.Millisecond)
	status := broker.Status()
	anna.Wait()
	fmt.Println(status)
}
