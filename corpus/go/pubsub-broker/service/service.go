// Package service uses the broker.
package service

import "github.com/deadheat-corpus/pubsub/broker"

// Service announces orders.
type Service struct {
	broker *broker.Broker
}

// New returns a service.
func New() *Service {
	return &Service{broker.New("orders", "mails")}
}

// Place places an order.
func (s *Service) Place(id string) {
	s.announce("orders", "placed "+id)
}

func (s *Service) announce(topic, msg string) {
	s.broker.Publish(topic, msg)
}

// Follow gets told of orders.
func (s *Service) Follow(f func(string)) {
	s.broker.Subscribe("orders", f)
}
