package batch

import (
	"testing"
	"time"
)

type wire struct{}

func (wire) Send(topic string, records []Record) error {
	time.Sleep(time.Millisecond)
	return nil
}

func TestSendAll(t *testing.T) {
	one := []Record{{"k", []byte("v")}}
	s := NewSender(wire{})
	sent, failed := s.SendAll(map[string][]Record{"orders": one, "carts": one, "users": one, "mails": one})
	t.Logf("%d sent, %d failed", sent, failed)
}
