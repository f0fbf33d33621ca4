package notify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Event is what subscribers are told about.
type Event struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
}

// Notifier posts events to a URL from a goroutine of its own.
type Notifier struct {
	url    string
	client *http.Client
	queue  chan Event
	done   chan struct{}
}

// New starts a notifier.
func New(url string) *Notifier {
	n := &Notifier{
		url:    url,
		client: &http.Client{Timeout: 2 * time.Second},
		queue:  make(chan Event, 16),
		done:   make(chan struct{}),
	}
	go n.loop()
	return n
}

// Notify queues an event.
func (n *Notifier) Notify(ev Event) { n.queue <- ev }

// Close waits until all that is queued has been posted.
func (n *Notifier) Close() {
	close(n.queue)
	<-n.done
}

func (n *Notifier) loop() {
	defer close(n.done)
	for ev := range n.queue {
		if err := n.post(ev); err != nil {
			fmt.Println("notify:", err)
		}
	}
}

func (n *Notifier) post(ev Event) error {
	body, err := json.Marshal(ev)
	if err != nil {
		return err
	}
	resp, err := n.client.Post(n.url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
