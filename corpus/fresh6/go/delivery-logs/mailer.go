// Package mailer queues messages and delivers them later.
package mailer

import "time"

type Message struct {
	To      string
	Subject string
}

type Transport interface {
	Deliver(m Message) error
}

type Mailer struct {
	tr    Transport
	delay time.Duration
}

func New(tr Transport, delay time.Duration) *Mailer {
	return &Mailer{tr: tr, delay: delay}
}

// Send returns at once; the message is delivered in the background.
func (m *Mailer) Send(to, subject string) {
	go m.deliver(Message{To: to, Subject: subject})
}

func (m *Mailer) deliver(msg Message) {
	time.Sleep(m.delay)
	for attempt := 0; attempt < 3; attempt++ {
		if m.tr.Deliver(msg) == nil {
			return
		}
	}
}
